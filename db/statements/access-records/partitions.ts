import { addDays, type Day, Refusal } from '#core';
import { type Store, sql } from '../../connections/store.ts';
import { lockOutRecords, runExclusively, withLockRetries } from './locks.ts';

const daysAhead = 14;

function dayOf(instant: Date): Day {
  return instant.toISOString().slice(0, 10);
}

export function after(day: Day, count = 1): Day {
  return dayOf(addDays(new Date(day), count));
}

export function partitionOf(day: Day): string {
  return `access_record_${day.replaceAll('-', '_')}`;
}

/**
 * Creates the partitions of today and the following days. Several processes may call this at once. A role that doesn't
 * own the table calls a database function instead. Only the owner can move records out of the default partition.
 */
export async function createPartitionsAhead(store: Store, now: Date): Promise<void> {
  const wanted = Array.from({ length: daysAhead + 1 }, (_, index) => after(dayOf(now), index));
  if (await isDone(store, wanted)) return;
  if (!(await isOwner(store))) {
    if (await arePresent(store, wanted)) return;
    await withLockRetries(store, (inside) => inside.run(sql`select create_access_record_days()`));
    if (await arePresent(store, wanted)) return;
  }
  await runExclusively(store, (inside) => createPartitions(inside, wanted));
}

async function isOwner(store: Store): Promise<boolean> {
  const table = await store.first(sql<{ isOwned: boolean }>`
    select pg_has_role(relowner, 'usage') as "isOwned"
    from pg_class where oid = 'access_record'::regclass`);
  return table?.isOwned === true;
}

export const listDays = (store: Store): Promise<Day[]> => list(store, partitions);

/** @throws Refusal `access_log_day_not_found` */
export async function requireDay(store: Store, day: Day): Promise<void> {
  if ((await listDays(store)).includes(day)) return;
  const message = `the access log has no partition for ${day}`;
  throw new Refusal('access_log_day_not_found', { message });
}

/** Returns true if all wanted partitions exist and the default partition is empty. */
async function isDone(store: Store, wanted: readonly Day[]): Promise<boolean> {
  return (await arePresent(store, wanted)) && (await list(store, daysInDefault)).length === 0;
}

async function arePresent(store: Store, wanted: readonly Day[]): Promise<boolean> {
  const existing = await listDays(store);
  return wanted.every((day) => existing.includes(day));
}

/** Creates the partitions. Also moves the records of the default partition to the partitions of their dates. */
async function createPartitions(store: Store, wanted: readonly Day[]): Promise<void> {
  if (await isDone(store, wanted)) return;
  await lockOutRecords(store);
  const existing = await listDays(store);
  const [first, ...others] = await list(store, daysInDefault);
  const missing = new Set([...wanted, ...others].filter((day) => !existing.includes(day)));
  if (first !== undefined && others.length === 0) {
    // If all default records have the same date, the default partition becomes this date's partition without a copy.
    const table = partitionOf(first);
    await replaceDefault(store, table);
    await store.run(
      sql`alter table access_record attach partition ${sql.table(table)} ${rangeOf(first)}`,
    );
    missing.delete(first);
  } else if (first !== undefined) {
    await replaceDefault(store, 'access_record_moved');
    missing.add(first);
  }
  for (const day of missing) {
    const table = sql.table(partitionOf(day));
    await store.run(sql`create table ${table} partition of access_record ${rangeOf(day)}`);
  }
  if (others.length > 0) {
    await store.run(sql`insert into access_record select * from access_record_moved`);
    await store.run(sql`drop table access_record_moved`);
  }
}

const partitions = sql<{ day: Day }>`
  select replace(substring(relname from 'access_record_(.*)'), '_', '-') as day
  from pg_inherits join pg_class on pg_class.oid = pg_inherits.inhrelid
  where inhparent = 'access_record'::regclass and relname ~ '^access_record_\\d{4}_\\d{2}_\\d{2}$'
  order by relname`;

const daysInDefault = sql<{ day: Day }>`
  select distinct to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD') as day
  from access_record_other`;

export const daysWithRecords = sql`(${partitions}) union (${daysInDefault})`;

async function list(store: Store, days: typeof partitions): Promise<Day[]> {
  return (await store.run(days)).map(({ day }) => day);
}

function rangeOf(day: Day) {
  const from = sql.lit(`${day}T00:00:00Z`);
  const to = sql.lit(`${after(day)}T00:00:00Z`);
  return sql`for values from (${from}) to (${to})`;
}

/** Renames the default partition, and attaches an empty default partition with the same rights. */
async function replaceDefault(store: Store, name: string): Promise<void> {
  await store.run(sql`alter table access_record detach partition access_record_other`);
  await store.run(sql`alter table access_record_other rename to ${sql.ref(name)}`);
  await store.run(sql`create table access_record_other partition of access_record default`);
  const grants = await store.run(
    sql<{ privilege: string; grantee: string }>`
      select privilege_type as privilege,
        case grantee when 0 then 'public' else grantee::regrole::text end as grantee
      from pg_class, aclexplode(relacl)
      where oid = ${name}::regclass and grantee <> relowner`,
  );
  for (const { privilege, grantee } of grants) {
    await store.run(sql.raw(`grant ${privilege} on access_record_other to ${grantee}`));
  }
}
