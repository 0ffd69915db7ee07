import { setTimeout as wait } from 'node:timers/promises';
import { type Store, sql } from '../../connections/store.ts';

/**
 * New records wait behind a waiting lock on the table. So the wait is much shorter than the time limit of a record, and
 * a failed try is repeated a little later.
 */
const lockMilliseconds = 300;
const pauseMilliseconds = 700;
const tries = 10;

/** The lock wasn't available in time, or this transaction was chosen to resolve a deadlock. */
const laterCodes: readonly unknown[] = ['55P03', '40P01'];

/** The server ends a transaction that stalls this long, so that a stalled process doesn't keep its locks. */
const stallMilliseconds = 5_000;

/** Longer than the time after which the server ends an autovacuum that blocks a lock. */
const settlingMilliseconds = 2_000;

/** Excludes other processes that change partitions, but not those that add records. */
export function oneAtATime<T>(store: Store, work: (inside: Store) => Promise<T>): Promise<T> {
  return withLockRetries(store, async (inside) => {
    await inside.run(sql`lock table only access_record in share update exclusive mode`);
    return work(inside);
  });
}

/** Runs the work in a transaction with a short lock timeout, and repeats it if a lock wasn't available. */
export async function withLockRetries<T>(
  store: Store,
  work: (inside: Store) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store.transact(async (inside) => {
        await inside.run(sql`
          select set_config('lock_timeout', ${String(lockMilliseconds)}, true),
            set_config('idle_in_transaction_session_timeout', ${String(stallMilliseconds)}, true)`);
        return work(inside);
      });
    } catch (error) {
      if (attempt === tries || !isForLater(error)) throw error;
      await wait(pauseMilliseconds);
    }
  }
}

function isForLater(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return laterCodes.includes(code) || laterCodes.includes(cause?.code);
}

/**
 * Lets no transaction write to the partition of a day or vacuum it until this transaction ends. Records of today don't
 * wait for this lock, so the wait may be longer than the one for the table: an autovacuum gives way only after
 * `deadlock_timeout`. Call it before the table itself is locked.
 */
export async function lockPartition(store: Store, table: string): Promise<void> {
  await store.run(sql`
    select set_config('lock_timeout', (setting::bigint + ${settlingMilliseconds}::bigint)::text, true)
    from pg_settings where name = 'deadlock_timeout'`);
  await store.run(sql`lock table ${sql.table(table)} in share mode`);
  await store.run(sql`select set_config('lock_timeout', ${String(lockMilliseconds)}, true)`);
}

/** Makes new records wait until the transaction ends, so that none goes to the default partition meanwhile. */
export async function lockOutRecords(store: Store): Promise<void> {
  await store.run(sql`lock table only access_record in access exclusive mode`);
}
