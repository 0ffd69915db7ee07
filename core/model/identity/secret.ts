import type { Cryptography } from '../platform.ts';

/** A new secret, which is shown once. Only the digest and the hint are stored. */
export interface MintedSecret {
  readonly secret: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly digest: string;
  readonly hint: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;

/** Random bytes from this number on are skipped. They would make the first characters of the alphabet more likely. */
const unbiasedBytes = 256 - (256 % alphabet.length);

/** Appends 32 random base62 characters to the prefix. They have 190 bits from a cryptographic source. */
export function mintSecret(prefix: string, cryptography: Cryptography): MintedSecret {
  let characters = '';
  while (characters.length < secretLength) {
    for (const byte of cryptography.randomBytes(secretLength)) {
      if (byte < unbiasedBytes && characters.length < secretLength) {
        characters += alphabet.charAt(byte % alphabet.length);
      }
    }
  }
  const secret = `${prefix}${characters}`;
  return {
    secret,
    digest: cryptography.sha256(secret),
    hint: `${prefix}…${characters.slice(-4)}`,
  };
}
