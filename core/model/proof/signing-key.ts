export interface PublicKey {
  /** The thumbprint of the key (RFC 7638). */
  readonly kid: string;
  /** The 32 bytes of the public key in base64url, as in a JWK. */
  readonly x: string;
}

export interface SigningKey extends PublicKey {
  /** Signatures are stored with this number instead of the `kid`. A number always belongs to the same `kid`. */
  readonly number: number;
  readonly createdAt: Date;
  /** The key signs from this time on. It is published from `createdAt` on. */
  readonly signsAt: Date;
  readonly retiredAt: Date | null;
  /** True if another service owns the key and values with its signatures were imported. Such a key never signs here. */
  readonly isImported: boolean;
}

/** A new key is published this long before it signs, because clients cache the published keys. */
export const publicationMilliseconds = 5 * 60_000;

export const isActiveKey = ({ isImported, retiredAt }: SigningKey): boolean =>
  !isImported && retiredAt === null;

export interface SigningKeysInUse {
  readonly current: SigningKey | null;
  /** The published key that replaces the current key at the time `signsAt`. */
  readonly next: SigningKey | null;
}

/**
 * Finds the key that signs now and the key that signs next, without reading a private key. If no key signs now, the
 * next key signs at once.
 *
 * @param keys sorted by number
 */
export function findKeysInUse(keys: readonly SigningKey[], now: Date): SigningKeysInUse {
  const active = keys.filter(isActiveKey);
  const next = active.findLast(({ signsAt }) => signsAt > now) ?? null;
  const current = active.findLast(({ signsAt }) => signsAt <= now) ?? null;
  return current === null ? { current: next, next: null } : { current, next };
}

export interface SigningIdentity {
  readonly keyNumber: number;
  readonly kid: string;
  /** Returns the 64 bytes of the signature over the UTF-8 text. */
  sign(text: string): Uint8Array;
}
