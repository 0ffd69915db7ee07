import type { EntityName } from '@mikro-orm/postgresql';
import type {
  ApiKey,
  ApiKeys,
  CallingCompanyKey,
  ChangedKeys,
  CompanyKey,
  CompanyKeys,
  Key,
  KeyQuestion,
  Keys,
  KeyValidity,
  NewKey,
  Owner,
} from '#core';
import { type BatchLimits, batchQuestions } from '../connections/batch.ts';
import { type Confirmed, confirmsPrimary, runConfirmed } from '../connections/primary.ts';
import { rowScopeOf } from '../connections/row-scope.ts';
import { columnsOf, type Store, type Stores, sql } from '../connections/store.ts';
import { ApiKeyEntity, CompanyKeyEntity } from '../entities/identity.ts';
import { checkCredential } from './acting-credentials.ts';
import {
  effectiveRevokedAt,
  isActiveAt,
  lockOwner,
  timeOfBatch,
  toArray,
  toBytes,
  toScopes,
} from './rows.ts';
import { updateWithLogEntry, withLogEntry } from './settings-changes.ts';

interface KeyRow extends Key {
  digest: Uint8Array;
}

interface KeyTable {
  readonly name: 'api_key' | 'company_key';
  readonly owner: 'investor_id' | 'company_id';
  readonly entity: EntityName<KeyRow>;
  readonly columns: ReturnType<typeof columnsOf>;
}

/** Leaves out the digest, which must stay in the database. */
const tableOf = (
  name: KeyTable['name'],
  owner: KeyTable['owner'],
  entity: typeof ApiKeyEntity | typeof CompanyKeyEntity,
): KeyTable => ({
  name,
  owner,
  entity: entity as unknown as EntityName<KeyRow>,
  columns: columnsOf(entity, name, 'digest'),
});

const apiKeys = tableOf('api_key', 'investor_id', ApiKeyEntity);
const companyKeys = tableOf('company_key', 'company_id', CompanyKeyEntity);

export const createApiKeys = (stores: Stores, limits: BatchLimits): ApiKeys => ({
  ...createKeys<ApiKey>(stores, limits, apiKeys, (investorId) => ({ investorId })),

  readDigest: batchQuestions(async (ids: readonly string[]) => {
    const rows = await stores.batches.run(sql<{ digest: string | null }>`
      select encode(api_key.digest, 'hex') as digest
      from unnest(${toArray(ids)}::text[]) with ordinality as question (id, position)
      left join api_key on api_key.id = question.id
      order by question.position`);
    return rows.map(({ digest }) => digest);
  }, limits),
});

export function createCompanyKeys(stores: Stores, limits: BatchLimits): CompanyKeys {
  return {
    ...createKeys<CompanyKey>(stores, limits, companyKeys, (companyId) => ({ companyId })),

    authenticate: batchQuestions(async (questions: readonly KeyQuestion[]) => {
      const rows = await runConfirmed(
        stores,
        sql<Confirmed & CallingKeyRow>`
          select id, company_id as "companyId", environment, scopes::text as scopes, source,
            expires_at as "expiresAt", revoked_at as "revokedAt", ${confirmsPrimary}
          from unnest(${toArray(questions.map(({ digest }) => digest))}::text[]) with ordinality as question (digest, position)
          left join company_key
            on company_key.digest = decode(question.digest, 'hex') and ${isActiveAt(timeOfBatch(questions), 'company_key')}
          order by question.position`,
      );
      return rows.map(({ confirmedAt: _, scopes, ...row }) =>
        scopes === null ? null : ({ ...row, scopes: toScopes(scopes) } as CallingCompanyKey),
      );
    }, limits),
  };
}

/** All columns are null for an unknown key. */
type CallingKeyRow = {
  [Name in keyof CallingCompanyKey]:
    | (Name extends 'scopes' ? string : CallingCompanyKey[Name])
    | null;
};

function createKeys<K extends Key>(
  { requests: store, batches, scopes }: Stores,
  limits: BatchLimits,
  table: KeyTable,
  ownerOf: (id: string) => Owner,
): Keys<K> {
  const within = (ownerId: string) => scopes.requests.scoped(rowScopeOf(ownerOf(ownerId)));
  return {
    find: keysIn<K>(store, table).find,

    list: (ownerId) => keysIn<K>(ownerId === null ? store : within(ownerId), table).list(ownerId),

    listLatest: (ownerId, ...args) =>
      keysIn<K>(within(ownerId), table).listLatest(ownerId, ...args),

    transact: (ownerId, credential, work) =>
      (ownerId === null ? store : within(ownerId)).transact(async (inside) => {
        if (ownerId !== null) await lockOwner(inside, ownerOf(ownerId));
        await checkCredential(inside, credential);
        return work(keysIn(inside, table));
      }),

    // Two processes may update the same keys. Both sort the keys and skip locked keys, so neither waits for the other.
    async storeUses(uses, granularityMilliseconds) {
      const name = sql.table(table.name);
      await store.run(sql`
        with used as (
          select * from unnest(
            ${toArray([...uses.keys()])}::text[],
            ${toArray([...uses.values()].map((at) => at.toISOString()))}::timestamptz[]
          ) as used (id, used_at)
        ), due as (
          select key.id, used_at from ${name} as key join used on used.id = key.id
          where key.last_used_at is null
            or key.last_used_at < used_at - ${granularityMilliseconds} * interval '1 millisecond'
          order by key.id for no key update of key skip locked
        )
        update ${name} as key set last_used_at = due.used_at
        from due where key.id = due.id`);
    },

    readValidity: batchQuestions(async (ids: readonly string[]) => {
      const rows = await batches.run(sql<KeyValidity & { id: string | null }>`
        select key.id, key.expires_at as "expiresAt", ${effectiveRevokedAt(table.name, 'key')} as "revokedAt"
        from unnest(${toArray(ids)}::text[]) with ordinality as question (id, position)
        left join ${sql.table(table.name)} as key on key.id = question.id
        order by question.position`);
      return rows.map(({ id, ...validity }) => (id === null ? null : validity));
    }, limits),
  };
}

function keysIn<K extends Key>(
  store: Store,
  { name, owner, entity, columns }: KeyTable,
): ChangedKeys<K> {
  const select = (condition: ReturnType<typeof sql>) => sql<K>`
    select ${columns} from ${sql.table(name)}
    where ${condition} order by created_at, id`;

  return {
    add: (newKey, change) =>
      withLogEntry(store, change, (inside) => insert(inside, entity, newKey)),

    find: (id) => store.first(select(sql`id = ${id}`)),

    list: (ownerId) =>
      store.run(select(ownerId === null ? sql`true` : sql`${sql.ref(owner)} = ${ownerId}`)),

    listLatest: (ownerId, now, limit) =>
      store.run(sql<K>`
        select ${columns} from ${sql.table(name)} where ${sql.ref(owner)} = ${ownerId}
        order by ${isActiveAt(now, name)} desc, created_at desc, id desc limit ${limit}`),

    rename: (id, newName, change) =>
      updateWithLogEntry(store, change, entity, { id }, { name: newName }),

    revoke: (id, revokedAt, change) =>
      updateWithLogEntry(store, change, entity, { id, revokedAt: null }, { revokedAt }),

    replace: (old, oldExpiresAt, successor, olderEndsAt, change) =>
      withLogEntry(store, change, async (inside) => {
        // A second rotation of the same key waits for this lock, and then finds that the key was already replaced.
        const replaceable = await inside.first(sql`
            select id from ${sql.table(name)}
            where id = ${old.id} and revoked_at is null and replaced_by is null for update`);
        if (replaceable === null) return false;
        await insert(inside, entity, successor);
        if (olderEndsAt !== undefined) {
          await inside.run(sql`
              update ${sql.table(name)} set expires_at = ${olderEndsAt}
              where replaced_by = ${old.id} and (expires_at is null or expires_at > ${olderEndsAt})`);
        }
        const replacement = { expiresAt: oldExpiresAt, replacedBy: successor.key.id };
        return (await inside.update(entity, { id: old.id }, replacement)) === 1;
      }),
  };
}

const insert = <K extends Key>(
  store: Store,
  entity: KeyTable['entity'],
  { key, digest }: NewKey<K>,
) => store.insert(entity, { ...key, digest: toBytes(digest) });
