import type { Scope } from '../consent/scopes.ts';
import type { Cryptography } from '../platform.ts';
import type { Environment } from './investor.ts';

export interface ApiKey {
  readonly id: string;
  readonly investorId: string;
  readonly environment: Environment;
  /** Prefix and last four characters: enough to recognise a key, useless to guess it. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  /** Points a window; null: the default of the service. */
  readonly rateLimit: number | null;
  readonly createdAt: Date;
  /** The first instant at which the key no longer works; null: never. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The key that replaced this one; null while it has not been rotated. */
  readonly replacedBy: string | null;
}

/** What admits a caller. */
export type CallingKey = Pick<
  ApiKey,
  'id' | 'investorId' | 'environment' | 'scopes' | 'rateLimit' | 'expiresAt' | 'revokedAt'
>;

/** A secret as it is handed out, once, and what is kept of it. */
interface MintedSecret {
  readonly secret: string;
  /** SHA-256, as `Cryptography` tells it. */
  readonly digest: string;
  readonly hint: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const keyPattern = /^svc_sk_(?:live|test)_[0-9A-Za-z]{32}$/;

/** Bytes from here up would make the first characters of the alphabet likelier than the rest. */
const unbiasedBytes = 256 - (256 % alphabet.length);

/** A new secret of 32 base62 characters: 190 bits from the cryptographic source. */
export function mintSecret(environment: Environment, cryptography: Cryptography): MintedSecret {
  let characters = '';
  while (characters.length < secretLength) {
    for (const byte of cryptography.randomBytes(secretLength)) {
      if (byte < unbiasedBytes && characters.length < secretLength) {
        characters += alphabet.charAt(byte % alphabet.length);
      }
    }
  }
  const secret = `svc_sk_${environment}_${characters}`;
  return {
    secret,
    digest: cryptography.sha256(secret),
    hint: `svc_sk_${environment}_…${characters.slice(-4)}`,
  };
}

/** Whether a credential has the form of a key at all; one that has not needs no look-up. */
export function isWellFormedKey(credential: string): boolean {
  return keyPattern.test(credential);
}

export type KeyValidity = Pick<ApiKey, 'expiresAt' | 'revokedAt'>;

/**
 * A revoked key is dead, whatever the clock of a machine says about the instant of its revocation. Otherwise a key works
 * until its expiry, that instant excluded.
 */
export function isKeyLive({ revokedAt, expiresAt }: KeyValidity, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || now.getTime() < expiresAt.getTime());
}

type ApiKeyState = 'live' | 'rotated' | 'expired' | 'revoked';

/** The state of a key: a rotated one still works, until its overlap is over. */
export function stateOfKey(key: KeyValidity & Pick<ApiKey, 'replacedBy'>, now: Date): ApiKeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (!isKeyLive(key, now)) return 'expired';
  return key.replacedBy === null ? 'live' : 'rotated';
}
