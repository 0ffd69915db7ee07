import { setTimeout as wait } from 'node:timers/promises';
import { read, type Store, sql, transact, write } from './store.ts';

/** How many months after the present one are made ahead. */
const monthsAhead = 3;

/**
 * Whoever waits for a lock on the table keeps all records waiting behind it, so the wait must be much shorter than the
 * time that a record is given; when the lock is not to be had, it is tried again a little later.
 */
const lockMilliseconds = 300;
const pauseMilliseconds = 700;
const tries = 10;
const lockNotAvailable = '55P03';

/** A process that stalls in the middle must not keep the locks that it has. */
const stallMilliseconds = 5_000;

/** A month as `YYYY-MM`. */
type Month = string;

function monthOf(instant: Date): Month {
  return instant.toISOString().slice(0, 7);
}

function after(month: Month, count = 1): Month {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return monthOf(new Date(Date.UTC(year, number - 1 + count, 1)));
}

function partitionOf(month: Month): string {
  return `access_record_${month.replace('-', '_')}`;
}

/** Makes the partitions of this month and the next ones. Any number of processes may do so at once. */
export async function createPartitionsAhead(store: Store, now: Date): Promise<void> {
  const wanted = Array.from({ length: monthsAhead + 1 }, (_, index) => after(monthOf(now), index));
  if (await isDone(store, wanted)) return;
  await inTurn(store, (inside) => makeMonths(inside, wanted));
}

/** Whether there is nothing to make and nothing to move. */
async function isDone(store: Store, wanted: readonly Month[]): Promise<boolean> {
  const there = await listMonths(store);
  return (
    wanted.every((month) => there.includes(month)) && (await listStrayMonths(store)).length === 0
  );
}

/** Removes every month that ended before the instant; answers which, oldest first. */
export function dropMonthsBefore(store: Store, instant: Date): Promise<Month[]> {
  return inTurn(store, async (inside) => {
    await makeMonths(inside, []);
    const over = (await listMonths(inside)).filter((month) => after(month) <= monthOf(instant));
    if (over.length > 0) await standAlone(inside);
    for (const month of over) await write(inside, sql`drop table ${sql.table(partitionOf(month))}`);
    return over;
  });
}

/** Also gives records that came before the partition of their month was there the place that they belong to. */
async function makeMonths(store: Store, wanted: readonly Month[]): Promise<void> {
  if (await isDone(store, wanted)) return;
  await standAlone(store);
  const there = await listMonths(store);
  const strays = await listStrayMonths(store);
  const missing = new Set([...wanted, ...strays].filter((month) => !there.includes(month)));
  const [only, ...others] = strays;
  if (only !== undefined && others.length === 0) {
    await turnStraysIntoMonth(store, only);
    missing.delete(only);
  } else if (only !== undefined) await detachStrays(store, 'access_record_stray');
  for (const month of missing) await makeMonth(store, month);
  if (others.length > 0) await moveStrays(store);
}

/** One at a time; those who add records are not kept waiting by this alone. */
async function inTurn<T>(store: Store, work: (inside: Store) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact(store, async (inside) => {
        await write(inside, sql`set local lock_timeout = ${sql.lit(lockMilliseconds)}`);
        await write(
          inside,
          sql`set local idle_in_transaction_session_timeout = ${sql.lit(stallMilliseconds)}`,
        );
        await write(inside, sql`lock table only access_record in share update exclusive mode`);
        return work(inside);
      });
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable || attempt === tries) throw error;
      await wait(pauseMilliseconds);
    }
  }
}

/** From here to the end of the transaction, which must be near, every record waits: no stray comes in between. */
async function standAlone(store: Store): Promise<void> {
  await write(store, sql`lock table only access_record in access exclusive mode`);
}

async function listMonths(store: Store): Promise<Month[]> {
  const rows = await read(
    store,
    sql<{ month: Month }>`
      select replace(substring(relname from '^access_record_(\\d{4}_\\d{2})$'), '_', '-') as month
      from pg_inherits join pg_class on pg_class.oid = pg_inherits.inhrelid
      where inhparent = 'access_record'::regclass and relname ~ '^access_record_\\d{4}_\\d{2}$'
      order by relname`,
  );
  return rows.map(({ month }) => month);
}

/** The months of records that came before their partition was there. */
async function listStrayMonths(store: Store): Promise<Month[]> {
  const rows = await read(
    store,
    sql<{ month: Month }>`
      select distinct to_char(occurred_at at time zone 'UTC', 'YYYY-MM') as month
      from access_record_other`,
  );
  return rows.map(({ month }) => month);
}

async function makeMonth(store: Store, month: Month): Promise<void> {
  const table = partitionOf(month);
  await write(
    store,
    sql`create table ${sql.table(table)} partition of access_record ${valuesOf(month)}`,
  );
  await keep(store, table);
}

function valuesOf(month: Month) {
  const from = sql.lit(`${month}-01T00:00:00Z`);
  const to = sql.lit(`${after(month)}-01T00:00:00Z`);
  return sql`for values from (${from}) to (${to})`;
}

/** Neither changed, deleted nor truncated, also while changes are replicated or restored. */
async function keep(store: Store, table: string): Promise<void> {
  const name = sql.ref(`${table}_is_kept`);
  await write(
    store,
    sql`create trigger ${name} before truncate on ${sql.table(table)}
      for each statement execute function refuse_change_of_access_record()`,
  );
  await write(store, sql`alter table ${sql.table(table)} enable always trigger ${name}`);
}

/** The usual case, in which nothing has to be copied, however many records there are. */
async function turnStraysIntoMonth(store: Store, month: Month): Promise<void> {
  const table = partitionOf(month);
  await detachStrays(store, table);
  await write(
    store,
    sql`alter table access_record attach partition ${sql.table(table)} ${valuesOf(month)}`,
  );
}

/** Puts the strays aside under another name and an empty table, with the same rights, into their place. */
async function detachStrays(store: Store, name: string): Promise<void> {
  await write(store, sql`alter table access_record detach partition access_record_other`);
  await write(store, sql`alter table access_record_other rename to ${sql.ref(name)}`);
  await write(store, sql`create table access_record_other partition of access_record default`);
  await keep(store, 'access_record_other');
  const grants = await read(
    store,
    sql<{ privilege: string; grantee: string }>`
      select privilege_type as privilege,
        case grantee when 0 then 'public' else grantee::regrole::text end as grantee
      from pg_class, aclexplode(relacl)
      where oid = ${name}::regclass and grantee <> relowner`,
  );
  for (const { privilege, grantee } of grants) {
    await write(store, sql.raw(`grant ${privilege} on access_record_other to ${grantee}`));
  }
}

/** Of several months: each record has to go to its own. */
async function moveStrays(store: Store): Promise<void> {
  await write(store, sql`insert into access_record select * from access_record_stray`);
  await write(store, sql`drop table access_record_stray`);
}
