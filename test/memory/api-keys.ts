import type { ApiKeys, NewApiKey } from '#core';
import { mustExist, oldestFirst, type Store } from './store.ts';

export function createMemoryApiKeys({ investors, keys, keyIds }: Store): ApiKeys {
  function add({ key, digest }: NewApiKey): void {
    mustExist(investors.get(key.investorId), `investor ${key.investorId}`);
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
    async list(investorId) {
      const found = [...keys.values()].filter(
        (key) => investorId === null || key.investorId === investorId,
      );
      return structuredClone(oldestFirst(found));
    },
    async revoke(id, revokedAt) {
      const key = keys.get(id);
      if (key === undefined || key.revokedAt !== null) return false;
      keys.set(id, { ...key, revokedAt });
      return true;
    },
    async replace({ id }, oldExpiresAt, successor) {
      const old = keys.get(id);
      if (old === undefined || old.revokedAt !== null || old.replacedBy !== null) return false;
      add(successor);
      keys.set(id, { ...old, expiresAt: oldExpiresAt, replacedBy: successor.key.id });
      return true;
    },
  };
}
