import { access } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AccessRecord,
  type ArchivedDay,
  type ArchiveOptions,
  type ArchiveStep,
  Refusal,
} from '#core';
import { selectedRow } from '../access-records/columns.ts';
import { dropDay } from '../access-records/drops.ts';
import { idText } from '../access-records/ids.ts';
import { partitionOf, requireDay } from '../access-records/partitions.ts';
import { StorageError } from '../storage-error.ts';
import { type Store, sql } from '../store.ts';
import { fileName, onDisk } from './files.ts';
import { type WrittenFile, writeRecords } from './writer.ts';

const recordsAtOnce = 10_000;

/** What tells one content of a partition from another: its rows are only ever added. */
interface Fingerprint {
  readonly records: string;
  readonly hash: string;
}

/**
 * The file is complete before the database knows of it; then one transaction makes the day an archived one and drops its
 * partition. What a process that died has left is overwritten by the next attempt, or removed a day later.
 */
export async function archiveDay(
  store: Store,
  folder: string,
  day: string,
  { signal, onStep = () => undefined }: ArchiveOptions,
): Promise<ArchivedDay> {
  await requireCounted(store, day);
  const { written, fingerprint } = await write(store, folder, day, { signal, onStep });
  signal?.throwIfAborted();
  await dropDay(store, day, async (inside) => {
    const now = await inside.run(fingerprintOf(day));
    if (now[0]?.records !== fingerprint.records || now[0]?.hash !== fingerprint.hash) {
      throw changed(`records of ${day} have come meanwhile; run it again`);
    }
    await inside.run(sql`select from access_record_counted for update`);
    await requireCounted(inside, day);
    if (written === null) return;
    await onDisk(folder, () => access(join(folder, fileName(written))));
    await mark(inside, written);
    await keepCounts(inside, day);
    await onStep(day, 'marked');
  });
  await onStep(day, 'removed');
  return { day, records: written?.records ?? 0, bytes: written?.bytes ?? 0 };
}

const changed = (message: string) => new Refusal('access_log_day_changed', { message });

/** Whether the statistics know all records of the day. */
async function requireCounted(store: Store, day: string): Promise<void> {
  const state = await store.first(sql<{ isCounted: boolean }>`
    select counted_until >= ((${day}::date + 1)::timestamp at time zone 'UTC')
      and not exists (select from access_record_late where day = ${day}::date) as "isCounted"
    from access_record_counted`);
  if (state?.isCounted === true) return;
  throw changed(`the records of ${day} are not all counted yet; try later`);
}

/** In one snapshot, so that what is written is what the fingerprint tells of. */
function write(
  store: Store,
  folder: string,
  day: string,
  { signal, onStep }: ArchiveOptions & { readonly onStep: NonNullable<ArchiveOptions['onStep']> },
): Promise<{ written: WrittenFile | null; fingerprint: Fingerprint }> {
  return store.snapshot(async (inside) => {
    await requireAlone(inside);
    await requireDay(inside, day);
    const [fingerprint] = await inside.run(fingerprintOf(day));
    if (fingerprint === undefined) throw new Error('PostgreSQL counts no rows');
    if (fingerprint.records === '0') return { written: null, fingerprint };
    const writing = { folder, day, signal, onStep: (step: ArchiveStep) => onStep(day, step) };
    const written = await onDisk(folder, () => writeRecords(readRecords(inside, day), writing));
    return { written, fingerprint };
  });
}

/** Two at a time would write each day twice, to no avail. */
async function requireAlone(inside: Store): Promise<void> {
  const lock = await inside.first(sql<{ isTaken: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('access_record_archive')) as "isTaken"`);
  if (lock?.isTaken === true) return;
  throw new StorageError('another process archives access records at the moment');
}

/** By company, so that the page of one company lies together. */
async function* readRecords(inside: Store, day: string): AsyncGenerator<AccessRecord[]> {
  await inside.run(sql`
    declare records_of_day no scroll cursor for
    select ${selectedRow} from ${sql.table(partitionOf(day))}
    order by ${idText('companyId')} collate "C" nulls first, occurred_at, ${idText('id')} collate "C"`);
  for (;;) {
    const piece = await inside.run(
      sql<AccessRecord>`fetch ${sql.lit(recordsAtOnce)} from records_of_day`,
    );
    if (piece.length === 0) return;
    yield piece;
  }
}

const fingerprintOf = (day: string) => sql<Fingerprint>`
  select count(*)::text as records,
    coalesce(bit_xor(hashtextextended(record::text, 0)), 0)::text as hash
  from ${sql.table(partitionOf(day))} as record`;

/** Records that came after a part of their day was archived are the next part. */
function mark(inside: Store, { day, digest, bytes, records }: WrittenFile): Promise<unknown> {
  return inside.run(sql`
    with marked as (
      insert into access_record_archive (day, part, digest, bytes, records)
      select ${day}::date, coalesce(max(part), 0) + 1, ${digest}, ${bytes}, ${records}
      from access_record_archive where day = ${day}::date
      returning day, part
    )
    insert into access_record_archive_investor (day, part, investor_id)
    select distinct marked.day, marked.part, ${idText('investorId')}
    from ${sql.table(partitionOf(day))} cross join marked
    where investor_id is not null`);
}

/** What a day came to stays known, so that records that come later can be counted on top of it. */
async function keepCounts(inside: Store, day: string): Promise<void> {
  const companies = sql`
    select distinct ${idText('companyId')} from ${sql.table(partitionOf(day))}
    where company_id is not null`;
  await inside.run(sql`
    delete from access_record_day_archived
    where day = ${day}::date and company_id in (${companies})`);
  await inside.run(sql`
    insert into access_record_day_archived
      (company_id, day, investor_id, scope, metric_key, grant_id, allowed, refused)
    select company_id, day, investor_id, scope, metric_key, grant_id, allowed, refused
    from access_record_day where day = ${day}::date and company_id in (${companies})`);
}
