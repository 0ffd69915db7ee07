import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '../../connections/outages.ts';
import { type Store, sql } from '../../connections/store.ts';

/**
 * While a statement waits for a lock of the table, new records wait behind that statement. So the lock timeout is much
 * shorter than the time limit for writing a record. A failed attempt is repeated later.
 */
const lockMilliseconds = 300;
const pauseMilliseconds = 700;
const tries = 10;

/** Error codes after which a retry can succeed: a lock wasn't available in time, or a deadlock. */
const laterCodes: readonly unknown[] = ['55P03', '40P01'];

/** After this idle time, the server rolls a transaction back, so that a stalled process keeps no locks. */
const stallMilliseconds = 5_000;

/** The server cancels an autovacuum that blocks a lock within this time. */
const settlingMilliseconds = 2_000;

/** Runs the work while no other process changes partitions. Other processes can still add records. */
export function runExclusively<T>(store: Store, work: (inside: Store) => Promise<T>): Promise<T> {
  return withLockRetries(store, async (inside) => {
    await inside.run(sql`lock table only access_record in share update exclusive mode`);
    return work(inside);
  });
}

/** Runs the work in a transaction with a short lock timeout. Repeats the work if a lock wasn't available. */
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
 * Blocks all other transactions from writing to the partition of a past date, and from vacuuming it. Call this before
 * you lock the table itself. Today's records don't wait for this lock, so its timeout can be longer than usual. The
 * timeout must be longer, because the server cancels an autovacuum only after `deadlock_timeout`.
 */
export async function lockPartition(store: Store, table: string): Promise<void> {
  await store.run(sql`
    select set_config('lock_timeout', (setting::bigint + ${settlingMilliseconds}::bigint)::text, true)
    from pg_settings where name = 'deadlock_timeout'`);
  await store.run(sql`lock table ${sql.table(table)} in share mode`);
  await store.run(sql`select set_config('lock_timeout', ${String(lockMilliseconds)}, true)`);
}

/** Makes new records wait until the transaction ends, so that no record goes to the default partition meanwhile. */
export async function lockOutRecords(store: Store): Promise<void> {
  await store.run(sql`lock table only access_record in access exclusive mode`);
}
