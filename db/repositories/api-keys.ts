import type { ApiKeys, NewApiKey } from '#core';
import { ApiKeyEntity } from '../entities/consent.ts';
import type { Store } from '../store.ts';
import { toBytes } from './rows.ts';

export function createApiKeys(store: Store): ApiKeys {
  /** Without the digest, which must not leave the database. */
  const oldestFirst = store.build
    .selectFrom('api_key')
    .select(['id', 'investorId', 'environment', 'hint', 'scopes', 'rateLimit'])
    .select(['createdAt', 'expiresAt', 'revokedAt', 'replacedBy'])
    .orderBy('createdAt')
    .orderBy('id');

  return {
    add: (newKey) => insert(store, newKey),

    find: (id) => store.first(oldestFirst.where('id', '=', id)),

    list: (investorId) =>
      store.run(
        investorId === null ? oldestFirst : oldestFirst.where('investorId', '=', investorId),
      ),

    async revoke(id, revokedAt) {
      const revoked = await store.write((em) =>
        em.nativeUpdate(ApiKeyEntity, { id, revokedAt: null }, { revokedAt }),
      );
      return revoked === 1;
    },

    replace: (old, oldExpiresAt, successor) =>
      store.transact(async (inside) => {
        // The lock makes a second replacement wait here; then it finds a key that is replaced already.
        const replaceable = await inside.first(
          inside.build
            .selectFrom('api_key')
            .select('id')
            .where('id', '=', old.id)
            .where('revokedAt', 'is', null)
            .where('replacedBy', 'is', null)
            .forUpdate(),
        );
        if (replaceable === null) return false;
        await insert(inside, successor);
        await inside.write((em) =>
          em.nativeUpdate(
            ApiKeyEntity,
            { id: old.id },
            { expiresAt: oldExpiresAt, replacedBy: successor.key.id },
          ),
        );
        return true;
      }),
  };
}

async function insert(store: Store, { key, digest }: NewApiKey): Promise<void> {
  await store.write((em) => em.insert(ApiKeyEntity, { ...key, digest: toBytes(digest) }));
}
