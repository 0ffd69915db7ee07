import { ensure, type PublicKey, type SigningKey, type SigningKeys } from '#core';
import { type BatchLimits, batched } from '../../batch.ts';
import { type Row, type Stores, sql } from '../../store.ts';

type KeyRow = Omit<Row<'signing_key'>, 'activeNumber'>;

export function createSigningKeys(
  { requests, longWork }: Stores,
  limits: BatchLimits,
): SigningKeys {
  const columns = ['number', 'kid', 'publicKey', 'createdAt', 'retiredAt', 'isImported'] as const;
  const select = requests.build.selectFrom('signing_key').select(columns);
  const find = ({ kid }: PublicKey) => requests.first(select.where('kid', '=', kid));
  const insert = ({ kid, x }: PublicKey, now: Date) =>
    requests.first(
      requests.build
        .insertInto('signing_key')
        .values({ kid, publicKey: x, createdAt: now, retiredAt: null, isImported: false })
        .onConflict((conflict) => conflict.column('kid').doNothing())
        .returning(columns),
    );

  const insertFirst = ({ kid, x }: PublicKey, now: Date) =>
    requests.run(sql`
      insert into signing_key (kid, public_key, created_at, is_imported)
        select ${kid}, ${x}, ${now}::timestamptz, false
        where not exists (select from signing_key where not is_imported)
        on conflict (kid) do nothing`);

  async function found(row: KeyRow): Promise<SigningKey> {
    ensure(row.retiredAt === null, 'signing_key_conflict', `the signing key ${row.kid} is retired`);
    if (row.isImported) {
      await requests.run(sql`update signing_key set is_imported = false where kid = ${row.kid}`);
    }
    return toSigningKey({ ...row, isImported: false });
  }

  // Anybody may ask for the public keys, and as often as they like.
  const list = batched<'all', readonly SigningKey[]>(async (questions) => {
    const rows = await requests.run(select.orderBy('number'));
    const keys = rows.map(toSigningKey);
    return questions.map(() => keys);
  }, limits);

  return {
    async register(key, now) {
      // An insertion that finds the key there uses a number up, and there are only 32,767.
      const row = (await find(key)) ?? (await insert(key, now)) ?? (await find(key));
      if (row === null) throw new Error(`the signing key ${key.kid} is not there`);
      return found(row);
    },

    async registerFirst(key, now) {
      let row = await find(key);
      if (row === null) {
        await insertFirst(key, now);
        row = await find(key);
      }
      if (row === null) return null;
      if (!row.isImported) return found(row);
      const own = await requests.first(sql`select from signing_key where not is_imported limit 1`);
      return own === null ? found(row) : null;
    },

    list: () => list('all'),

    async retire(kid, now) {
      try {
        // The foreign keys of what was signed look through whole tables, which may take longer than a request.
        const retired = await longWork.run(sql`
          update signing_key set retired_at = coalesce(retired_at, ${now}) where kid = ${kid}
          returning number`);
        return retired.length > 0 ? 'retired' : 'unknown';
      } catch (error) {
        if (isReferenced(error)) return 'in_use';
        throw error;
      }
    },
  };
}

function toSigningKey({ publicKey, ...row }: KeyRow): SigningKey {
  return { ...row, x: publicKey };
}

const foreignKeyViolation = '23503';

function isReferenced(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === foreignKeyViolation;
}
