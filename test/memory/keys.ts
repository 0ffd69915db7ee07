import {
  type ApiKeys,
  type ChangedKeys,
  type Company,
  type CompanyKeys,
  type Investor,
  isKeyLive,
  type Key,
  type Keys,
  type NewKey,
} from '#core';
import { checkCredential } from './acting-credentials.ts';
import { logging } from './settings-changes.ts';
import { mustExist, oldestFirst, type Store, whole } from './store.ts';

export function createMemoryApiKeys(store: Store): ApiKeys {
  const { investors, keys, keyIds } = store;
  const apiKeys = createKeys(
    store,
    keys,
    keyIds,
    (key) => key.investorId,
    (key) => mustExist(investors.get(key.investorId), `investor ${key.investorId}`),
  );
  const digestOf = (id: string) => [...keyIds].find(([, keyId]) => keyId === id)?.[0] ?? null;
  return {
    ...apiKeys,
    readDigest: async (id) => digestOf(id),
  };
}

export function createMemoryCompanyKeys(store: Store): CompanyKeys {
  const { companies, companyKeys, companyKeyIds } = store;
  const keys = createKeys(
    store,
    companyKeys,
    companyKeyIds,
    (key) => key.companyId,
    (key) => mustExist(companies.get(key.companyId), `company ${key.companyId}`),
  );
  return {
    ...keys,
    async authenticate({ digest, now }) {
      const key = companyKeys.get(companyKeyIds.get(digest) ?? '');
      if (key === undefined) return null;
      const { id, companyId, environment, scopes, source } = key;
      const validity = validityOf(key, companies.get(companyId));
      return isKeyLive(validity, now)
        ? { id, companyId, environment, scopes, source, ...validity }
        : null;
    },
  };
}

/** A suspended owner's key counts as revoked. */
const validityOf = (key: Key, owner: Investor | Company | undefined) => ({
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt ?? owner?.suspendedAt ?? null,
});

function createKeys<K extends Key>(
  store: Store,
  keys: Map<string, K>,
  keyIds: Map<string, string>,
  ownerOf: (key: K) => string,
  partyOf: (key: K) => Investor | Company,
): Keys<K> {
  function add({ key, digest }: NewKey<K>): void {
    partyOf(key);
    if (keys.has(key.id) || keyIds.has(digest)) throw new Error('the key is there already');
    keys.set(key.id, structuredClone(key));
    keyIds.set(digest, key.id);
  }

  const read: Pick<Keys<K>, 'find' | 'list' | 'listLatest'> = {
    async find(id) {
      if (id.includes('\0')) throw new Error('PostgreSQL takes no NUL');
      return structuredClone(keys.get(id) ?? null);
    },
    async list(ownerId) {
      const found = [...keys.values()].filter(
        (key) => ownerId === null || ownerOf(key) === ownerId,
      );
      return structuredClone(oldestFirst(found));
    },
    async listLatest(ownerId, now, limit) {
      const newestFirst = (await read.list(ownerId)).toReversed();
      const { working = [], ended = [] } = Object.groupBy(newestFirst, (key) =>
        isKeyLive(key, now) ? 'working' : 'ended',
      );
      return [...working, ...ended].slice(0, limit);
    },
  };
  const changed: ChangedKeys<K> = {
    ...read,
    async add(newKey) {
      add(newKey);
    },
    async rename(id, name) {
      const key = keys.get(id);
      if (key === undefined) return false;
      keys.set(id, { ...key, name });
      return true;
    },
    async revoke(id, revokedAt) {
      const key = keys.get(id);
      if (key === undefined || key.revokedAt !== null) return false;
      keys.set(id, { ...key, revokedAt });
      return true;
    },
    async replace({ id }, oldExpiresAt, successor, olderEndsAt) {
      const old = keys.get(id);
      if (old === undefined || old.revokedAt !== null || old.replacedBy !== null) return false;
      add(successor);
      keys.set(id, { ...old, expiresAt: oldExpiresAt, replacedBy: successor.key.id });
      for (const older of [...keys.values()].filter(({ replacedBy }) => replacedBy === id)) {
        if (olderEndsAt === undefined || !isKeyLive(older, olderEndsAt)) continue;
        keys.set(older.id, { ...older, expiresAt: olderEndsAt });
      }
      return true;
    },
  };
  const told = logging(store, changed, ['add', 'rename', 'revoke', 'replace']);
  return {
    ...read,
    async readValidity(id) {
      const key = keys.get(id);
      return key === undefined ? null : validityOf(key, partyOf(key));
    },
    async storeUses(uses, granularityMilliseconds) {
      for (const [id, at] of uses) {
        const key = keys.get(id);
        const kept = key?.lastUsedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
        if (key === undefined || kept >= at.getTime() - granularityMilliseconds) continue;
        keys.set(id, { ...key, lastUsedAt: at });
      }
    },
    transact: (_ownerId, credential, work) =>
      store.serially(async () => {
        checkCredential(store, credential);
        return whole([keys, keyIds, store.settingsChanges], () => work(told));
      }),
  };
}
