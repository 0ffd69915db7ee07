import { type ApiKeys, type CompanyKeys, isKeyLive, type Key, type Keys, type NewKey } from '#core';
import { mustExist, oldestFirst, type Store, whole } from './store.ts';

export function createMemoryApiKeys({ investors, keys, keyIds }: Store): ApiKeys {
  return createKeys(
    keys,
    keyIds,
    (key) => key.investorId,
    (key) => mustExist(investors.get(key.investorId), `investor ${key.investorId}`),
  );
}

export function createMemoryCompanyKeys({
  companies,
  companyKeys,
  companyKeyIds,
  serially,
}: Store): CompanyKeys {
  const keys = createKeys(
    companyKeys,
    companyKeyIds,
    (key) => key.companyId,
    (key) => mustExist(companies.get(key.companyId), `company ${key.companyId}`),
  );
  const listLatest: CompanyKeys['listLatest'] = async (companyId, now, limit) => {
    const newestFirst = (await keys.list(companyId)).toReversed();
    const { working = [], ended = [] } = Object.groupBy(newestFirst, (key) =>
      isKeyLive(key, now) ? 'working' : 'ended',
    );
    return [...working, ...ended].slice(0, limit);
  };
  return {
    ...keys,
    listLatest,
    transact: (_companyId, work) =>
      serially(() => whole([companyKeys, companyKeyIds], () => work({ ...keys, listLatest }))),
    async authenticate({ digest, now }) {
      const key = companyKeys.get(companyKeyIds.get(digest) ?? '');
      if (key === undefined || !isKeyLive(key, now)) return null;
      const { id, companyId, environment, scopes, source, expiresAt, revokedAt } = key;
      return { id, companyId, environment, scopes, source, expiresAt, revokedAt };
    },
  };
}

function createKeys<K extends Key>(
  keys: Map<string, K>,
  keyIds: Map<string, string>,
  ownerOf: (key: K) => string,
  checkOwner: (key: K) => void,
): Keys<K> {
  function add({ key, digest }: NewKey<K>): void {
    checkOwner(key);
    if (keys.has(key.id) || keyIds.has(digest)) throw new Error('the key is there already');
    keys.set(key.id, structuredClone(key));
    keyIds.set(digest, key.id);
  }

  return {
    async add(newKey) {
      add(newKey);
    },
    async find(id) {
      return structuredClone(keys.get(id) ?? null);
    },
    async readValidity(id) {
      const key = keys.get(id);
      return key === undefined ? null : { expiresAt: key.expiresAt, revokedAt: key.revokedAt };
    },
    async list(ownerId) {
      const found = [...keys.values()].filter(
        (key) => ownerId === null || ownerOf(key) === ownerId,
      );
      return structuredClone(oldestFirst(found));
    },
    async rename(id, name) {
      const key = keys.get(id);
      if (key === undefined) return false;
      keys.set(id, { ...key, name });
      return true;
    },
    async keepUses(uses, granularityMilliseconds) {
      for (const [id, at] of uses) {
        const key = keys.get(id);
        const kept = key?.lastUsedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
        if (key === undefined || kept >= at.getTime() - granularityMilliseconds) continue;
        keys.set(id, { ...key, lastUsedAt: at });
      }
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
}
