import { z } from 'zod';
import type { AccessErrorCode } from '../../model/error-catalogue.ts';
import { AccessError, ensure } from '../../model/errors.ts';
import { credentialBehind, type Permitted } from '../../model/identity/acting-credential.ts';
import { type ApiKey, apiKeyPrefix } from '../../model/identity/api-key.ts';
import { type CompanyKey, companyKeyPrefix } from '../../model/identity/company-key.ts';
import type { Environment } from '../../model/identity/investor.ts';
import { isKeyLive, type Key, stateOfKey } from '../../model/identity/key-state.ts';
import { mintSecret } from '../../model/identity/secret.ts';
import { type Acting, changeOfKey, settingsChange } from '../../model/identity/settings-change.ts';
import { InputError, parseInput, trimmedNameInput } from '../../model/input.ts';
import { addMilliseconds, earlierOf, isExpressible, isFutureEnd } from '../../model/time.ts';
import type { ChangedKeys, Keys } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';

interface KeyKind {
  readonly idPrefix: 'key' | 'ck';
  readonly secretPrefix: (environment: Environment) => string;
  readonly notFound: AccessErrorCode;
  readonly conflict: AccessErrorCode;
  readonly limit: AccessErrorCode;
}

interface OwnedKeyKind<K extends AnyKey & Owned, Owned> extends KeyKind {
  keysOf(ports: Ports): Keys<K>;
  ownerIdOf(owned: Owned): string;
}

type AnyKey = ApiKey | CompanyKey;

/** The owner whose keys are changed. Null for an operator, who may change the keys of any owner. */
export type KeyOwnerOrOperator<Owned> = (Owned & Acting & Permitted) | null;

export const apiKeyKind: OwnedKeyKind<ApiKey, Pick<ApiKey, 'investorId'>> = {
  idPrefix: 'key',
  secretPrefix: apiKeyPrefix,
  notFound: 'api_key_not_found',
  conflict: 'api_key_conflict',
  limit: 'api_key_limit',
  keysOf: ({ apiKeys }) => apiKeys,
  ownerIdOf: ({ investorId }) => investorId,
};

export const companyKeyKind: OwnedKeyKind<CompanyKey, Pick<CompanyKey, 'companyId'>> = {
  idPrefix: 'ck',
  secretPrefix: companyKeyPrefix,
  notFound: 'company_key_not_found',
  conflict: 'company_key_conflict',
  limit: 'company_key_limit',
  keysOf: ({ companyKeys }) => companyKeys,
  ownerIdOf: ({ companyId }) => companyId,
};

/** A key with its secret, which is shown only once. */
export interface Minted<K extends Key> {
  readonly key: K;
  readonly secret: string;
}

export function newKey(
  { clock, cryptography, ids }: Ports,
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

export function requireFutureExpiry(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null || isFutureEnd(expiresAt, now)) return;
  const reason = 'must lie in the future, before the year 10000';
  throw new InputError('invalid_parameter', 'expiresAt', { reason });
}

async function findLiveKey<K extends Key>(
  keys: Pick<ChangedKeys<K>, 'find'>,
  kind: KeyKind,
  now: Date,
  id: string,
): Promise<K> {
  const key = await keys.find(id);
  ensure(key !== null, kind.notFound, `The key ${id} doesn’t exist.`);
  const state = stateOfKey(key, now);
  ensure(state !== 'revoked', kind.conflict, `The key ${id} was revoked.`);
  ensure(state !== 'expired', kind.conflict, `The key ${id} has expired.`);
  return key;
}

const keyInput = z.strictObject({ id: z.string() });

/** @throws Refusal if the key doesn't exist, belongs to another owner or no longer works */
export const revokeKeyOf =
  <K extends AnyKey & Owned, Owned>(kind: OwnedKeyKind<K, Owned>) =>
  (ports: Ports) =>
  async (owner: KeyOwnerOrOperator<Owned>, input: z.input<typeof keyInput>): Promise<K> => {
    const { id } = parseInput(keyInput, input);
    const { clock, ids } = ports;
    return changeKeys(ports, kind, owner, async (keys) => {
      const key = await findLiveKey(keys, kind, clock.now(), id);
      const revokedAt = clock.now();
      const change = settingsChange(ids, revokedAt, owner, changeOfKey('revoked', key, key));
      ensure(await keys.revoke(id, revokedAt, change), kind.conflict, `The key ${id} was revoked.`);
      return { ...key, revokedAt };
    });
  };

const renameKeyInput = keyInput.extend({ name: trimmedNameInput });

/** @throws Refusal if the key doesn't exist */
export const renameKeyOf =
  <K extends AnyKey & Owned, Owned>(kind: OwnedKeyKind<K, Owned>) =>
  (ports: Ports) =>
  async (input: z.input<typeof renameKeyInput>): Promise<K> => {
    const { id, name } = parseInput(renameKeyInput, input);
    const { clock, ids } = ports;
    return changeKeys(ports, kind, null, async (keys) => {
      const old = await keys.find(id);
      ensure(old !== null, kind.notFound, `The key ${id} doesn’t exist.`);
      const key = { ...old, name };
      const change = settingsChange(ids, clock.now(), null, changeOfKey('renamed', old, key));
      await keys.rename(id, name, change);
      return key;
    });
  };

/**
 * Creates a new key with the same name, rights and expiry. The old key works until the overlap ends, or until its own
 * expiry if that is earlier.
 *
 * @param olderEndsAt the new expiry of the key that the old key replaced, if that key still works
 * @throws Refusal if the key doesn't exist, no longer works or was already rotated, or if the overlap is invalid
 */
export async function rotateKey<K extends AnyKey>(
  keys: Pick<ChangedKeys<K>, 'find' | 'replace'>,
  kind: KeyKind,
  ports: Ports,
  { id, overlapMilliseconds }: { readonly id: string; readonly overlapMilliseconds: number },
  acting: Acting | null,
  olderEndsAt?: Date,
): Promise<Minted<K>> {
  const now = ports.clock.now();
  const overlapEnds = addMilliseconds(now, overlapMilliseconds);
  const isOverlap = overlapEnds >= now && isExpressible(overlapEnds);
  ensure(isOverlap, 'invalid_parameter', 'The overlap must be a finite number of at least 0.');
  const old = await findLiveKey(keys, kind, now, id);
  const { key: successor, secret, digest } = newKey(ports, kind, old.environment);
  const key: K = { ...old, ...successor };
  const oldExpiresAt = earlierOf(overlapEnds, old.expiresAt ?? overlapEnds);
  const changed = changeOfKey('rotated', old, { ...key, expiresAt: oldExpiresAt });
  const change = settingsChange(ports.ids, now, acting, changed);
  const isReplaced = await keys.replace(old, oldExpiresAt, { key, digest }, olderEndsAt, change);
  ensure(isReplaced, kind.conflict, `The key ${id} was already rotated. Rotate its successor.`);
  return { key, secret };
}

/** The maximum number of working keys per owner. A rotated key is counted until its overlap ends. */
const maxWorkingKeys = 20;

export const maxListedKeys = 100;
const day = 86_400_000;

export const rotationInput = keyInput.extend({
  overlapMilliseconds: z
    .int()
    .min(0)
    .max(30 * day)
    .default(day),
});

export const operatorRotationInput = keyInput.extend({
  overlapMilliseconds: z.number().default(day),
});

/**
 * Runs a change in one transaction. The change finds only the owner's keys, or the keys of all owners for an operator.
 * Only IDs with the form of a key ID are looked up.
 */
export function changeKeys<K extends AnyKey & Owned, Owned, T>(
  ports: Ports,
  { idPrefix, keysOf, ownerIdOf }: OwnedKeyKind<K, Owned>,
  owner: (NoInfer<Owned> & Permitted) | null,
  change: (keys: ChangedKeys<K>) => Promise<T>,
): Promise<T> {
  const ownerId = owner && ownerIdOf(owner);
  const idPattern = new RegExp(`^${idPrefix}_[0-9A-Za-z]{1,64}$`);
  return keysOf(ports).transact(ownerId, credentialBehind(owner), (keys) =>
    change({
      ...keys,
      async find(id) {
        const key = idPattern.test(id) ? await keys.find(id) : null;
        return key !== null && (ownerId === null || ownerIdOf(key) === ownerId) ? key : null;
      },
    }),
  );
}

/** @throws AccessError if the owner has too many working keys. The error rolls back the transaction */
export async function requireKeyLimit<K extends Key>(
  keys: ChangedKeys<K>,
  { limit }: KeyKind,
  ownerId: string,
  now: Date,
): Promise<void> {
  const latest = await keys.listLatest(ownerId, now, maxWorkingKeys + 1);
  const working = latest.filter((key) => isKeyLive(key, now));
  if (working.length > maxWorkingKeys) throw new AccessError(limit);
}
