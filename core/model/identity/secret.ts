import type { Cryptography } from '../platform.ts';

/** A secret as it is handed out, once, and what is kept of it. */
export interface MintedSecret {
  readonly secret: string;
  /** SHA-256, as `Cryptography` tells it. */
  readonly digest: string;
  readonly hint: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;

/** Bytes from here up would make the first characters of the alphabet likelier than the rest. */
const unbiasedBytes = 256 - (256 % alphabet.length);

/** A prefix and 32 base62 characters: 190 bits from the cryptographic source. */
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
