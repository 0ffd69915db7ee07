import {
  type Cursor,
  type Day,
  type FoundDay,
  type NamedRecord,
  Refusal,
  type SettingsChange,
} from '#core';
import { type Store, sql } from '../../connections/store.ts';
import { logChange } from '../settings-changes.ts';
import { selectedRecord } from './columns.ts';
import { lockOutRecords, lockPartition, runExclusively } from './locks.ts';
import { after, partitionOf, requireDay } from './partitions.ts';
import { earliest, instantText } from './windows.ts';

const recordsOfPage = 5_000;
const firstWidth = 60_000;

/**
 * Reads the records of a date in pages. Each page covers a short period of time, because the BRIN index can't sort and
 * a longer period would be slow to sort. The period doubles after a page that isn't full, and halves after a full page.
 */
export async function* readDay(store: Store, day: Day): AsyncGenerator<NamedRecord[]> {
  await requireCounted(store, day);
  const end = new Date(after(day));
  let last: Cursor = { instant: new Date(day), id: '' };
  let width = firstWidth;
  for (;;) {
    const until = earliest(new Date(last.instant.getTime() + width), end) as Date;
    const records = await store.run(page(last, until));
    if (records.length > 0) yield records;
    const next = records[recordsOfPage - 1];
    if (next !== undefined) {
      last = { instant: next.occurredAt, id: next.id };
      width = Math.max(1, Math.floor(width / 2));
    } else if (until < end) {
      last = { instant: until, id: '' };
      width *= 2;
    } else return;
  }
}

/** The times are literals, so that the planner excludes other partitions. */
const page = (last: Cursor, until: Date) => sql<NamedRecord>`
  select record.*, investor.name as "investorName"
  from (
    select ${selectedRecord} from access_record
    where occurred_at >= ${instantText(last.instant)} and occurred_at < ${instantText(until)}
      and (occurred_at, id) > (${instantText(last.instant)}, ${last.id})
    order by occurred_at, id limit ${recordsOfPage}
  ) as record
  left join investor on investor.id = record."investorId"
  order by "occurredAt", record.id`;

/**
 * Drops the partition of a date, and writes the settings log entry in the same transaction. Meanwhile, new records of
 * this date wait. Records of other dates wait only while the table is dropped.
 */
export function dropDay(
  store: Store,
  day: Day,
  entryOf: (found: FoundDay) => SettingsChange,
): Promise<void> {
  const table = sql.table(partitionOf(day));
  return runExclusively(store, async (inside) => {
    await requireDay(inside, day);
    await lockPartition(inside, partitionOf(day));
    const [found] = await inside.run(sql<FoundDay>`
      select count(*)::float8 as records, array(
        select changes->'exportDigest'->>'to' from settings_change
        where type = 'access_log.dropped' and subject->>'id' = ${day}
      ) as "earlierExports"
      from ${table}`);
    await logChange(inside, entryOf(found as FoundDay));
    await requireCounted(inside, day);
    await lockOutRecords(inside);
    await inside.run(sql`drop table ${table}`);
  });
}

/** @throws Refusal `access_log_day_changed` if the records of the date aren't counted yet */
async function requireCounted(store: Store, day: Day): Promise<void> {
  const counted = await store.first(sql`select from access_day where day = ${day}::date`);
  if (counted !== null) return;
  const message = `the records of ${day} aren't counted yet; try again in a few minutes`;
  throw new Refusal('access_log_day_changed', { message });
}
