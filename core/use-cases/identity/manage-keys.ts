import { ensure, OperatorError } from '../../model/errors.ts';
import { type Key, stateOfKey } from '../../model/identity/key-state.ts';
import { mintSecret } from '../../model/identity/secret.ts';
import { requireName } from '../../model/text.ts';
import { addMilliseconds, earlierOf, isExpressible, isFutureEnd } from '../../model/time.ts';
import type { Keys } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';

/** A key at the one moment when its secret can be seen. */
export interface Minted<K extends Key> {
  readonly key: K;
  readonly secret: string;
}

type Platform = Pick<Ports, 'clock' | 'cryptography' | 'ids'>;

/** The parts that every new key has. */
export function newKey(
  { clock, cryptography, ids }: Platform,
  idPrefix: 'key' | 'ck',
  prefix: string,
) {
  const { secret, digest, hint } = mintSecret(prefix, cryptography);
  const key = {
    id: ids.next(idPrefix),
    hint,
    createdAt: clock.now(),
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
  };
  return { secret, digest, key };
}

/** @throws OperatorError `invalid` */
export function checkExpiry(expiresAt: Date | null, now: Date): void {
  ensure(
    expiresAt === null || isFutureEnd(expiresAt, now),
    'invalid',
    'the expiry of a key must lie in the future, before the year 10000',
  );
}

/** @throws OperatorError `invalid` */
export const nameOfKey = (name: string | null | undefined): string | null =>
  name == null ? null : requireName(name);

/** A key that was live a moment ago: one that is not can be neither revoked nor rotated. */
async function findLiveKey<K extends Key>(
  keys: Pick<Keys<K>, 'find'>,
  now: Date,
  id: string,
): Promise<K> {
  const key = await keys.find(id);
  if (key === null) throw new OperatorError('not_found', `there is no key ${id}`);
  const state = stateOfKey(key, now);
  ensure(state !== 'revoked', 'conflict', `the key ${id} is revoked`);
  ensure(state !== 'expired', 'conflict', `the key ${id} has expired`);
  return key;
}

/** @throws OperatorError `not_found`, or `conflict` when the key works no more */
export async function revokeKey<K extends Key>(
  keys: Pick<Keys<K>, 'find' | 'revoke'>,
  { clock }: Platform,
  id: string,
): Promise<K> {
  const key = await findLiveKey(keys, clock.now(), id);
  const revokedAt = clock.now();
  ensure(await keys.revoke(id, revokedAt), 'conflict', `the key ${id} is revoked`);
  return { ...key, revokedAt };
}

/** @throws OperatorError `not_found` or `invalid` */
export async function renameKey<K extends Key>(
  keys: Pick<Keys<K>, 'find' | 'rename'>,
  id: string,
  name: string,
): Promise<K> {
  const named = requireName(name);
  const key = (await keys.rename(id, named)) ? await keys.find(id) : null;
  if (key === null) throw new OperatorError('not_found', `there is no key ${id}`);
  return key;
}

/**
 * Mints a successor with the same name, rights and end; the old key works until the overlap is over, and never past
 * its own expiry.
 *
 * @throws OperatorError `not_found`, `invalid`, or `conflict` when the key works no more or was rotated before
 */
export async function rotateKey<K extends Key>(
  keys: Pick<Keys<K>, 'find' | 'replace'>,
  platform: Platform,
  { id, overlapMilliseconds }: { id: string; overlapMilliseconds: number },
  mint: (old: K) => { key: Omit<Key, 'expiresAt' | 'name'>; secret: string; digest: string },
): Promise<Minted<K>> {
  const now = platform.clock.now();
  const overlapEnds = addMilliseconds(now, overlapMilliseconds);
  const isOverlap = overlapEnds >= now && isExpressible(overlapEnds);
  ensure(isOverlap, 'invalid', 'an overlap must not be negative or without end');
  const old = await findLiveKey(keys, now, id);
  const { key: fresh, secret, digest } = mint(old);
  const key: K = { ...old, ...fresh };
  const oldExpiresAt = earlierOf(overlapEnds, old.expiresAt ?? overlapEnds);
  const isReplaced = await keys.replace(old, oldExpiresAt, { key, digest });
  ensure(isReplaced, 'conflict', `the key ${id} was rotated already; rotate its successor`);
  return { key, secret };
}
