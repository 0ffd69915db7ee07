import { type Store, sql } from '../store.ts';
import { forgetDaysBefore } from './days.ts';
import { lockOutRecords, lockParts, oneAtATime } from './locks.ts';
import {
  createPartitions,
  type Day,
  dayOf,
  endOf,
  listParts,
  monthOf,
  type Part,
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
 * Drops every part that ended before the instant, and what was counted of it; answers these parts, oldest first. Of a
 * month that has one partition for all its days, nothing is dropped before it is over. A few parts go in a transaction,
 * the oldest first, with all that is known of the days up to their end: whatever stops it, what is gone is gone as a
 * whole, and it can be called again.
 */
export async function dropPartitionsBefore(store: Store, instant: Date): Promise<Part[]> {
  const day = dayOf(instant);
  const dropped: Part[] = [];
  for (;;) {
    const { parts, isLast } = await oneAtATime(store, async (inside) => {
      const end = await endOfNext(inside, day);
      // Both before new records have to wait, because it can take long.
      await forgetDaysBefore(inside, end ?? (await lastEnd(inside, day)));
      await lockParts(inside, (await listOver(inside, end ?? day)).map(partitionOf));
      await createPartitions(inside, []);
      const over = await listOver(inside, end ?? day);
      await dropParts(inside, over);
      return { parts: over, isLast: end === null };
    });
    dropped.push(...parts);
    if (isLast) return dropped;
  }
}

const listOver = async (store: Store, day: Day) =>
  (await listParts(store)).filter((part) => endOf(part) <= day);

/** The end of the next parts that are dropped together; null when one batch holds all that are left. */
async function endOfNext(store: Store, day: Day): Promise<Day | null> {
  const over = await listOver(store, day);
  const last = over.length > partsAtOnce ? over[partsAtOnce - 1] : undefined;
  return last === undefined ? null : endOf(last);
}

/** A month that is not over keeps its days. */
async function lastEnd(store: Store, day: Day): Promise<Day> {
  const isOfMonth = (await listParts(store)).includes(monthOf(day));
  return isOfMonth ? `${monthOf(day)}-01` : day;
}

async function dropParts(store: Store, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  await lockOutRecords(store);
  for (const part of parts) await store.run(sql`drop table ${sql.table(partitionOf(part))}`);
}
