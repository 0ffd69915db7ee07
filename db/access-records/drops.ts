import { type Store, sql } from '../store.ts';
import { forgetDaysBefore } from './days.ts';
import { lockOutRecords, lockParts, oneAtATime } from './locks.ts';
import {
  after,
  createPartitions,
  type Day,
  dayOf,
  listDays,
  partitionOf,
  requireDay,
} from './partitions.ts';

/** Each takes several locks, of which a server has room for a limited number. */
const partsAtOnce = 10;

/**
 * Drops the partition of one day, and leaves what was counted of it. The check sees the records as they are dropped: none
 * can be added to this day while it runs, those of other days can. When it throws, nothing is dropped; it may be called
 * again when the lock was not to be had.
 */
export function dropDay(
  store: Store,
  day: Day,
  check: (inside: Store) => Promise<void> = async () => {},
): Promise<void> {
  return oneAtATime(store, async (inside) => {
    await requireDay(inside, day);
    await lockParts(inside, [partitionOf(day)]);
    await check(inside);
    await dropParts(inside, [day]);
  });
}

/**
 * Drops every day before that of the instant, and what was counted of it; answers these days, oldest first. A few go in a
 * transaction, the oldest first, with all that is known of the days up to their end: whatever stops it, what is gone is
 * gone as a whole, and it can be called again.
 */
export async function dropPartitionsBefore(store: Store, instant: Date): Promise<Day[]> {
  const day = dayOf(instant);
  const dropped: Day[] = [];
  for (;;) {
    const { days, isLast } = await oneAtATime(store, async (inside) => {
      const end = await endOfNext(inside, day);
      // Both before new records have to wait, because it can take long.
      await forgetDaysBefore(inside, end ?? day);
      await lockParts(inside, (await listOver(inside, end ?? day)).map(partitionOf));
      await createPartitions(inside, []);
      const over = await listOver(inside, end ?? day);
      await dropParts(inside, over);
      return { days: over, isLast: end === null };
    });
    dropped.push(...days);
    if (isLast) return dropped;
  }
}

const listOver = async (store: Store, end: Day) =>
  (await listDays(store)).filter((day) => day < end);

/** The end of the next days that are dropped together; null when one batch holds all that are left. */
async function endOfNext(store: Store, day: Day): Promise<Day | null> {
  const over = await listOver(store, day);
  const last = over.length > partsAtOnce ? over[partsAtOnce - 1] : undefined;
  return last === undefined ? null : after(last);
}

async function dropParts(store: Store, days: readonly Day[]): Promise<void> {
  if (days.length === 0) return;
  await lockOutRecords(store);
  for (const day of days) await store.run(sql`drop table ${sql.table(partitionOf(day))}`);
}
