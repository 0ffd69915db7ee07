import type { EntityManager, Transaction } from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';

/** One way into the database: the entity manager for writes, plain statements for reads. */
export interface Store {
  readonly em: EntityManager;
  readonly kysely: Kysely<unknown>;
}

export { sql };

export async function read<Row>(
  { kysely }: Pick<Store, 'kysely'>,
  statement: RawBuilder<Row>,
): Promise<Row[]> {
  return (await statement.execute(kysely)).rows;
}

/** How many rows the statement changed. */
export async function write(
  { kysely }: Pick<Store, 'kysely'>,
  statement: RawBuilder<unknown>,
): Promise<number> {
  return Number((await statement.execute(kysely)).numAffectedRows ?? 0n);
}

/**
 * Runs the work in one transaction (READ COMMITTED) on one connection. Kysely opens it, not the entity manager, whose
 * way loses the connection for good when the BEGIN itself fails.
 */
export function transact<T>(store: Store, work: (inside: Store) => Promise<T>): Promise<T> {
  return store.kysely.transaction().execute((transaction) => {
    const em = store.em.fork();
    // It asks for a transaction of the kind it would have opened; it only ever runs statements through it.
    em.setTransactionContext(transaction as unknown as Transaction);
    return work({ em, kysely: transaction });
  });
}
