/** The times at which a key starts and stops working. */
export interface KeyValidity {
  /** The key is invalid from this time on. Null means that it doesn't expire. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The fields that all kinds of keys have. */
export interface Key extends KeyValidity {
  readonly id: string;
  /** The prefix and the last four characters, to recognise the key. */
  readonly hint: string;
  /** The name given by an operator or the company. Null without a name. */
  readonly name: string | null;
  readonly createdAt: Date;
  /** Time of the last use, accurate to ten minutes. Null if the key was never used. */
  readonly lastUsedAt: Date | null;
  /** The key that replaced this one. Null until the key is rotated. */
  readonly replacedBy: string | null;
}

/** A revoked key never works, whatever a machine's clock says. Any other key works until its expiry. */
export function isKeyLive({ revokedAt, expiresAt }: KeyValidity, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || now.getTime() < expiresAt.getTime());
}

type KeyState = 'live' | 'rotated' | 'expired' | 'revoked';

/** Returns the state of a key. A rotated key works until its overlap ends. */
export function stateOfKey(key: KeyValidity & Pick<Key, 'replacedBy'>, now: Date): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (!isKeyLive(key, now)) return 'expired';
  return key.replacedBy === null ? 'live' : 'rotated';
}
