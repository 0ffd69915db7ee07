import { ensure, type PublicKey, type SigningKey, type SigningKeys } from '#core';
import { type BatchLimits, batchQuestions } from '../../connections/batch.ts';
import { codeOf } from '../../connections/outages.ts';
import { type Row, type Stores, sql } from '../../connections/store.ts';
import { SigningKeyEntity } from '../../entities/proof.ts';

type KeyRow = Omit<Row<'signing_key'>, 'activeNumber'>;

export function createSigningKeys(
  { requests, longWork }: Stores,
  limits: BatchLimits,
): SigningKeys {
  const columns = [
    'number',
    'kid',
    'publicKey',
    'createdAt',
    'signsAt',
    'retiredAt',
    'isImported',
  ] as const;
  const select = requests.build.selectFrom('signing_key').select(columns);
  const find = ({ kid }: PublicKey) => requests.first(select.where('kid', '=', kid));
  const insert = ({ kid, x }: PublicKey, now: Date, signsAt: Date) =>
    requests.first(
      requests.build
        .insertInto('signing_key')
        .values({ kid, publicKey: x, createdAt: now, signsAt })
        .onConflict((conflict) => conflict.column('kid').doNothing())
        .returning(columns),
    );

  function ensureActive(row: KeyRow): KeyRow {
    ensure(row.retiredAt === null, 'signing_key_conflict', `the signing key ${row.kid} is retired`);
    return row;
  }

  // Batched, because callers can read public keys without a credential and without a rate limit.
  const list = batchQuestions<'all', readonly SigningKey[]>(async (questions) => {
    const rows = await requests.run(select.orderBy('number'));
    const keys = rows.map(toSigningKey);
    return questions.map(() => keys);
  }, limits);

  return {
    async register(key, now, signsAt = now) {
      // Looks up the key first, because even a refused insertion uses up one of only 32,767 numbers.
      const row = (await find(key)) ?? (await insert(key, now, signsAt)) ?? (await find(key));
      if (row === null) throw new Error(`the signing key ${key.kid} doesn't exist`);
      ensureActive(row);
      const registered = toSigningKey(row);
      if (!row.isImported && registered.signsAt <= signsAt) return registered;
      await requests.update(SigningKeyEntity, { kid: row.kid }, { isImported: false, signsAt });
      return { ...registered, isImported: false, signsAt };
    },

    async registerFirst(key, now) {
      let row = await find(key);
      if (row === null || row.isImported) {
        const { kid, x } = key;
        await requests.run(
          sql`select register_first_signing_key(${kid}, ${x}, ${now}::timestamptz)`,
        );
        row = await find(key);
      }
      return row === null || row.isImported ? null : toSigningKey(ensureActive(row));
    },

    list: () => list('all'),

    async retire(kid, now) {
      try {
        // Checking the foreign keys scans complete tables. This can take longer than the timeout of a request.
        const retired = await longWork.run(sql`
          update signing_key set retired_at = coalesce(retired_at, ${now}) where kid = ${kid}
          returning number`);
        return retired.length > 0 ? 'retired' : 'unknown';
      } catch (error) {
        if (codeOf(error) === foreignKeyViolation) return 'in_use';
        throw error;
      }
    },
  };
}

function toSigningKey({ publicKey, signsAt, ...row }: KeyRow): SigningKey {
  return { ...row, x: publicKey, signsAt: signsAt ?? row.createdAt };
}

const foreignKeyViolation = '23503';
