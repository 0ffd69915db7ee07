import type { CatalogueCode } from '../../model/error-catalogue.ts';
import { ensure } from '../../model/errors.ts';
import { type ApiKey, apiKeyPrefix } from '../../model/identity/api-key.ts';
import { type CompanyKey, companyKeyPrefix } from '../../model/identity/company-key.ts';
import type { Environment } from '../../model/identity/investor.ts';
import { type Key, stateOfKey } from '../../model/identity/key-state.ts';
import { mintSecret } from '../../model/identity/secret.ts';
import {
  changeOfKey,
  type SettingsActor,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { InputError } from '../../model/input.ts';
import { addMilliseconds, earlierOf, isExpressible, isFutureEnd } from '../../model/time.ts';
import type { Keys } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';

/** What keys of one kind have of their own. */
interface KeyKind {
  readonly idPrefix: 'key' | 'ck';
  readonly secretPrefix: (environment: Environment) => string;
  readonly notFound: CatalogueCode;
  readonly conflict: CatalogueCode;
}

export const apiKeyKind: KeyKind = {
  idPrefix: 'key',
  secretPrefix: apiKeyPrefix,
  notFound: 'api_key_not_found',
  conflict: 'api_key_conflict',
};

export const companyKeyKind: KeyKind = {
  idPrefix: 'ck',
  secretPrefix: companyKeyPrefix,
  notFound: 'company_key_not_found',
  conflict: 'company_key_conflict',
};

/** A key at the one moment when its secret can be seen. */
export interface Minted<K extends Key> {
  readonly key: K;
  readonly secret: string;
}

type Platform = Pick<Ports, 'clock' | 'cryptography' | 'ids'>;

type AnyKey = ApiKey | CompanyKey;

/** The parts that every new key has. */
export function newKey(
  { clock, cryptography, ids }: Platform,
  { idPrefix, secretPrefix }: KeyKind,
  environment: Environment,
) {
  const { secret, digest, hint } = mintSecret(secretPrefix(environment), cryptography);
  const key = {
    id: ids.next(idPrefix),
    environment,
    hint,
    createdAt: clock.now(),
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
  };
  return { secret, digest, key };
}

/** @throws InputError */
export function requireFutureExpiry(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null || isFutureEnd(expiresAt, now)) return;
  const reason = 'must lie in the future, before the year 10000';
  throw new InputError('invalid_parameter', 'expiresAt', { reason });
}

/** A key that was live a moment ago: one that is not can be neither revoked nor rotated. */
async function findLiveKey<K extends Key>(
  keys: Pick<Keys<K>, 'find'>,
  kind: KeyKind,
  now: Date,
  id: string,
): Promise<K> {
  const key = await keys.find(id);
  ensure(key !== null, kind.notFound, `there is no key ${id}`);
  const state = stateOfKey(key, now);
  ensure(state !== 'revoked', kind.conflict, `the key ${id} is revoked`);
  ensure(state !== 'expired', kind.conflict, `the key ${id} has expired`);
  return key;
}

/** @throws Refusal when there is no such key, or it works no more */
export async function revokeKey<K extends AnyKey>(
  keys: Pick<Keys<K>, 'find' | 'revoke'>,
  kind: KeyKind,
  { clock, ids }: Platform,
  id: string,
  by: SettingsActor,
): Promise<K> {
  const key = await findLiveKey(keys, kind, clock.now(), id);
  const revokedAt = clock.now();
  const change = settingsChange(ids, revokedAt, by, changeOfKey('revoked', key, key));
  ensure(await keys.revoke(id, revokedAt, change), kind.conflict, `the key ${id} is revoked`);
  return { ...key, revokedAt };
}

/** @throws Refusal when there is no such key */
export async function renameKey<K extends AnyKey>(
  keys: Pick<Keys<K>, 'find' | 'rename'>,
  kind: KeyKind,
  { clock, ids }: Platform,
  { id, name }: { readonly id: string; readonly name: string },
  by: SettingsActor,
): Promise<K> {
  const old = await keys.find(id);
  ensure(old !== null, kind.notFound, `there is no key ${id}`);
  const key = { ...old, name };
  const change = settingsChange(ids, clock.now(), by, changeOfKey('renamed', old, key));
  ensure(await keys.rename(id, name, change), kind.notFound, `there is no key ${id}`);
  return key;
}

/**
 * Mints a successor with the same name, rights and end; the old key works until the overlap is over, and never past
 * its own expiry.
 *
 * @throws Refusal when there is no such key, it works no more or was rotated before, or the overlap is none
 */
export async function rotateKey<K extends AnyKey>(
  keys: Pick<Keys<K>, 'find' | 'replace'>,
  kind: KeyKind,
  platform: Platform,
  { id, overlapMilliseconds }: { readonly id: string; readonly overlapMilliseconds: number },
  by: SettingsActor,
): Promise<Minted<K>> {
  const now = platform.clock.now();
  const overlapEnds = addMilliseconds(now, overlapMilliseconds);
  const isOverlap = overlapEnds >= now && isExpressible(overlapEnds);
  ensure(isOverlap, 'invalid_parameter', 'an overlap must not be negative or without end');
  const old = await findLiveKey(keys, kind, now, id);
  const { key: fresh, secret, digest } = newKey(platform, kind, old.environment);
  const key: K = { ...old, ...fresh };
  const oldExpiresAt = earlierOf(overlapEnds, old.expiresAt ?? overlapEnds);
  const changed = changeOfKey('rotated', old, { ...key, expiresAt: oldExpiresAt });
  const change = settingsChange(platform.ids, now, by, changed);
  const isReplaced = await keys.replace(old, oldExpiresAt, { key, digest }, undefined, change);
  ensure(isReplaced, kind.conflict, `the key ${id} was rotated already; rotate its successor`);
  return { key, secret };
}
