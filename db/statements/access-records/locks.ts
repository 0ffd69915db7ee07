import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '../../connections/outages.ts';
import { type Store, sql } from '../../connections/store.ts';

/**
 * New records wait behind a waiting lock of the table. So the timeout is much shorter than the time limit of a record,
 * and a failed attempt is repeated later.
 */
const lockMilliseconds = 300;
const pauseMilliseconds = 700;
const tries = 10;

/** The lock wasn't available in time, or this transaction was chosen to resolve a deadlock. */
const laterCodes: readonly unknown[] = ['55P03', '40P01'];

/** The server ends a transaction that is idle this long, so that a stalled process doesn't keep its locks. */
const stallMilliseconds = 5_000;

/** Longer than the server takes to cancel an autovacuum that blocks a lock. */
const settlingMilliseconds = 2_000;

/** Excludes other processes that change partitions. Records can still be added. */
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
  return laterCodes.includes(codeOf(error)) || laterCodes.includes(codeOf((error as Error).cause));
}

/**
 * Keeps all other transactions from writing to the partition of a past day, or vacuuming it. Call this before the table
 * itself is locked. Records of today don't wait for this lock, so its timeout may be longer: an autovacuum is cancelled
 * only after `deadlock_timeout`.
 */
export async function lockPartition(store: Store, table: string): Promise<void> {
  await store.run(sql`
    select set_config('lock_timeout', (setting::bigint + ${settlingMilliseconds}::bigint)::text, true)
    from pg_settings where name = 'deadlock_timeout'`);
  await store.run(sql`lock table ${sql.table(table)} in share mode`);
  await store.run(sql`select set_config('lock_timeout', ${String(lockMilliseconds)}, true)`);
}

/** New records wait until the transaction ends, so that none goes to the default partition meanwhile. */
export async function lockOutRecords(store: Store): Promise<void> {
  await store.run(sql`lock table only access_record in access exclusive mode`);
}
