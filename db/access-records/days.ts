import { type Store, sql } from '../store.ts';

/**
 * The access records are counted by day up to an instant that moves on; whoever reads the counts adds the records from
 * there on. A record that is sent later than a minute after it came about may come behind that instant, so it leaves,
 * in the same statement, a mark that its day is to be counted again. All others are sent well before the instant
 * reaches them, and the instant only moves when every transaction that was under way by then has ended.
 */
const lateMilliseconds = 60_000;
const settled = sql.raw(`interval '5 minutes'`);

/** The server's clock goes on while it counts: whoever caught up with every instant of it would never be done. */
const minStep = sql.raw(`interval '1 second'`);

/** So much is counted in one transaction, when there is much to catch up with. */
const step = sql.raw(`interval '24 hours'`);

const marksAtOnce = 1_000;

/**
 * Whether a record that is about to be sent must leave a mark.
 *
 * @param now of the server's clock, by which the records are counted
 */
export function isLate(occurredAt: Date, now: Date): boolean {
  return occurredAt.getTime() < now.getTime() - lateMilliseconds;
}

/** The day of a record, in UTC. */
export const dayOfRecord = sql.raw(`(occurred_at at time zone 'UTC')::date`);

export const countsOfRecords = sql.raw(`
  sum(case when outcome = 'allowed' then count else 0 end) as allowed,
  sum(case when outcome = 'allowed' then 0 else count end) as refused`);

/** The records from here on are not among the counts. */
export const countedUntil = sql.raw('(select counted_until from access_record_counted)');

/**
 * Counts a part of what has not been counted. Any number of processes may do so; one of them works at a time.
 *
 * @returns whether there may be more to count now
 */
export function countNext(store: Store, now: Date): Promise<boolean> {
  return store.transact(async (inside) => {
    const state = await inside.first(sql<{
      countedUntil: Date;
      nextUntil: Date | null;
      isSettled: boolean | null;
    }>`
      select counted_until as "countedUntil", next_until as "nextUntil",
        next_transaction <= pg_snapshot_xmin(pg_current_snapshot()) as "isSettled"
      from access_record_counted for update skip locked`);
    if (state === null) return false;
    if (await countAgain(inside)) return true;
    if (state.nextUntil === null) return chooseNext(inside, now);
    if (state.isSettled !== true) return false;
    await countForward(inside, state.countedUntil, state.nextUntil);
    return true;
  });
}

/**
 * From here on the transactions that began before this one are waited for: each may still commit a record. The server's
 * clock is the bound: one that is ahead would leave records uncounted that come after it and leave no mark.
 */
async function chooseNext(inside: Store, now: Date): Promise<boolean> {
  const chosen = await inside.run(sql`
    update access_record_counted
    set next_until = chosen.until, next_transaction = pg_current_xact_id()
    from (
      select date_trunc('milliseconds', least(${now}::timestamptz, now()) - ${settled}) as until
    ) as chosen
    where counted_until < chosen.until - ${minStep}
    returning true`);
  return chosen.length > 0;
}

async function countForward(inside: Store, from: Date, nextUntil: Date): Promise<void> {
  const end = sql`least(${nextUntil}::timestamptz, ${from}::timestamptz + ${step})`;
  await inside.run(
    addCounts(sql`
      select * from access_record_text where occurred_at >= ${from} and occurred_at < ${end}`),
  );
  // After a day without a record comes the day of the next one: a long pause is one step.
  await inside.run(sql`
    update access_record_counted set
      counted_until = least(next_until, reached),
      next_until = case when next_until > reached then next_until end,
      next_transaction = case when next_until > reached then next_transaction end
    from (
      select case
        when exists (
          select from access_record where occurred_at >= ${from} and occurred_at < ${end}
        ) then ${end}
        else coalesce(
          (select min(occurred_at) from access_record
            where occurred_at >= ${from} and occurred_at >= ${end}),
          ${nextUntil}::timestamptz)
        end as reached
    ) as walk`);
}

/** Counts the marked days anew, as far as they are counted. */
async function countAgain(inside: Store): Promise<boolean> {
  const marks = await inside.run(sql<{ companyId: string; day: string }>`
    with taken as (
      delete from access_record_late
      where number in (select number from access_record_late order by number limit ${marksAtOnce})
      returning company_id, day
    )
    select distinct company_id as "companyId", day::text as day from taken`);
  if (marks.length === 0) return false;
  const marked = sql`unnest(
    ${marks.map(({ companyId }) => companyId)}::text[], ${marks.map(({ day }) => day)}::date[]
  ) as marked (company_id, day)`;
  // Reads that are counted already are taken off, so that no count is ever lowered.
  await inside.run(
    addCounts(sql`
      select ${counting} from ${marked} cross join access_record_counted cross join lateral (
        select * from access_record_text
        where hashtext(company_id) = hashtext(marked.company_id)
          and company_id = marked.company_id
          and occurred_at >= marked.day::timestamp at time zone 'UTC'
          and occurred_at < (marked.day + 1)::timestamp at time zone 'UTC'
          and occurred_at < counted_until
        offset 0
      ) as record
      union all
      ${countsOf('access_record_day_archived', marked)}
      union all
      ${countsOf('access_record_day', marked, '-')}`),
  );
  return true;
}

/** The columns that are counted: of records, and of what an archived day came to. */
const counting = sql.raw(`
  record.company_id, record.occurred_at, record.investor_id, record.scope, record.metric_key,
  record.grant_id, record.outcome, record.count`);

/** What the marked days came to, as records. */
const countsOf = (table: string, marked: ReturnType<typeof sql>, sign: '' | '-' = '') => sql`
  select ${counting} from ${marked} cross join lateral (
    select *, day::timestamp at time zone 'UTC' as occurred_at from ${sql.table(table)}
    cross join lateral (
      values ('allowed', ${sql.raw(sign)}allowed), ('refused', ${sql.raw(sign)}refused)
    ) as sum (outcome, count)
    where company_id = marked.company_id and day = marked.day and count <> 0
    offset 0
  ) as record`;

/** Forgets the counts of the days before one, whose records are removed, those in the archive too. */
export async function forgetDaysBefore(inside: Store, day: string): Promise<void> {
  await inside.run(sql`select from access_record_counted for update`);
  await inside.run(removeCounts(sql`where day < ${day}::date`));
  await inside.run(sql`delete from access_record_grant where reads = 0`);
  await inside.run(sql`delete from access_record_day_archived where day < ${day}::date`);
  await inside.run(sql`
    update access_record_archive set is_forgotten = true
    where day < ${day}::date and not is_forgotten`);
}

const addCounts = (records: ReturnType<typeof sql>) => sql`
  with counted as materialized (
    select company_id, ${dayOfRecord} as day, investor_id, scope, metric_key, grant_id,
      max(occurred_at) as last_at, ${countsOfRecords}
    from (${records}) as access_record
    where company_id is not null
    group by 1, 2, 3, 4, 5, 6
    having sum(count) > 0
  ), of_grants as (
    insert into access_record_grant as known (grant_id, company_id, reads, last_read_at)
    select grant_id, min(company_id), sum(allowed), max(last_at)
    from counted where grant_id is not null group by 1
    on conflict (grant_id) do update set
      reads = known.reads + excluded.reads,
      last_read_at = greatest(known.last_read_at, excluded.last_read_at)
  ), sums as (
    insert into access_record_day_sum as known (company_id, day, environment, scope,
      is_of_investor, investor_id, metric_key, allowed, refused)
    select company_id, day, environment, scope, grouping(investor_id) = 0, investor_id, metric_key,
      sum(allowed), sum(refused)
    from counted join investor on investor.id = investor_id
    group by company_id, day, environment, scope, grouping sets ((investor_id), (metric_key))
    on conflict on constraint access_record_day_sum_once do update set
      allowed = known.allowed + excluded.allowed, refused = known.refused + excluded.refused
  )
  insert into access_record_day as known
    (company_id, day, investor_id, scope, metric_key, grant_id, allowed, refused)
  select company_id, day, investor_id, scope, metric_key, grant_id, allowed, refused from counted
  on conflict on constraint access_record_day_once do update set
    allowed = known.allowed + excluded.allowed, refused = known.refused + excluded.refused`;

const removeCounts = (which: ReturnType<typeof sql>) => sql`
  with gone as (
    delete from access_record_day as counted ${which} returning counted.grant_id, counted.allowed
  ), gone_sums as (
    delete from access_record_day_sum as counted ${which}
  )
  update access_record_grant as known set reads = known.reads - of_grant.reads
  from (
    select grant_id, sum(allowed) as reads from gone where grant_id is not null group by 1
  ) as of_grant
  where known.grant_id = of_grant.grant_id`;
