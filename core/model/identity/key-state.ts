export interface KeyValidity {
  /** The key is invalid from this time on. Null means that the key doesn't expire. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface Key extends KeyValidity {
  readonly id: string;
  /** The prefix and the last four characters of the secret. */
  readonly hint: string;
  /** Null if the owner gave no name. */
  readonly name: string | null;
  readonly createdAt: Date;
  /** Time of the last use, accurate to ten minutes. Null if the key was never used. */
  readonly lastUsedAt: Date | null;
  /** The ID of the key that replaced this key. Null until the key is rotated. */
  readonly replacedBy: string | null;
}

/** A revoked key is never live. `revokedAt` can be in the future, because the clocks of machines differ. */
export function isKeyLive({ revokedAt, expiresAt }: KeyValidity, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || now.getTime() < expiresAt.getTime());
}

type KeyState = 'live' | 'rotated' | 'expired' | 'revoked';

/** Returns `rotated` while a replaced key still works together with the new key. */
export function stateOfKey(key: KeyValidity & Pick<Key, 'replacedBy'>, now: Date): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (!isKeyLive(key, now)) return 'expired';
  return key.replacedBy === null ? 'live' : 'rotated';
}
