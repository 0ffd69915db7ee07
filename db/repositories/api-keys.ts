import type { ApiKey, ApiKeys, Environment, NewApiKey, Scope } from '#core';
import { ApiKeyEntity } from '../entities/api-key.ts';
import { read, type Store, sql, transact } from '../store.ts';
import { toBytes, toInstant, toInstantOrNull } from './rows.ts';

interface ApiKeyRow {
  id: string;
  investor_id: string;
  environment: Environment;
  hint: string;
  scopes: Scope[];
  rate_limit: number | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
}

const columns = sql`id, investor_id, environment, hint, scopes, rate_limit, created_at, expires_at,
  revoked_at, replaced_by`;

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    investorId: row.investor_id,
    environment: row.environment,
    hint: row.hint,
    scopes: row.scopes,
    rateLimit: row.rate_limit,
    createdAt: toInstant(row.created_at),
    expiresAt: toInstantOrNull(row.expires_at),
    revokedAt: toInstantOrNull(row.revoked_at),
    replacedBy: row.replaced_by,
  };
}

export function createApiKeys(store: Store): ApiKeys {
  async function readKeys(statement: ReturnType<typeof sql<ApiKeyRow>>): Promise<ApiKey[]> {
    return (await read(store, statement)).map(toApiKey);
  }

  return {
    async add(newKey) {
      await insert(store, newKey);
    },

    async find(id) {
      const found = await readKeys(sql`select ${columns} from api_key where id = ${id}`);
      return found[0] ?? null;
    },

    list: (investorId) =>
      readKeys(
        investorId === null
          ? sql`select ${columns} from api_key order by created_at, id`
          : sql`select ${columns} from api_key where investor_id = ${investorId}
              order by created_at, id`,
      ),

    async revoke(id, revokedAt) {
      const revoked = await store.em.nativeUpdate(
        ApiKeyEntity,
        { id, revokedAt: null },
        { revokedAt },
      );
      return revoked === 1;
    },

    replace: (old, oldExpiresAt, successor) =>
      transact(store, async (inside) => {
        // The lock makes a second one wait here; then it finds a key that is replaced already.
        const [replaceable] = await read(
          inside,
          sql`select 1 from api_key
            where id = ${old.id} and revoked_at is null and replaced_by is null
            for update`,
        );
        if (replaceable === undefined) return false;
        await insert(inside, successor);
        await inside.em.nativeUpdate(
          ApiKeyEntity,
          { id: old.id },
          { expiresAt: oldExpiresAt, replacedBy: successor.key.id },
        );
        return true;
      }),
  };
}

async function insert({ em }: Store, { key, digest }: NewApiKey): Promise<void> {
  await em.insert(ApiKeyEntity, {
    ...key,
    scopes: [...key.scopes],
    digest: toBytes(digest),
  });
}
