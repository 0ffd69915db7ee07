/** When a key of any kind works. */
export interface KeyValidity {
  /** The first instant at which the key no longer works; null: never. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** What every kind of key has. */
export interface Key extends KeyValidity {
  readonly id: string;
  /** Prefix and last four characters: enough to recognise a key, useless to guess it. */
  readonly hint: string;
  /** What an operator or the company calls it; null when it has no name. */
  readonly name: string | null;
  readonly createdAt: Date;
  /** Up to ten minutes too early; null when it was never used. */
  readonly lastUsedAt: Date | null;
  /** The key that replaced this one; null while it has not been rotated. */
  readonly replacedBy: string | null;
}

/**
 * A revoked key is dead, whatever the clock of a machine says about the instant of its revocation. Otherwise a key works
 * until its expiry, that instant excluded.
 */
export function isKeyLive({ revokedAt, expiresAt }: KeyValidity, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || now.getTime() < expiresAt.getTime());
}

type KeyState = 'live' | 'rotated' | 'expired' | 'revoked';

/** The state of a key: a rotated one still works, until its overlap is over. */
export function stateOfKey(key: KeyValidity & Pick<Key, 'replacedBy'>, now: Date): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (!isKeyLive(key, now)) return 'expired';
  return key.replacedBy === null ? 'live' : 'rotated';
}
