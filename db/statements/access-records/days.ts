import type { Day } from '#core';
import { type Store, sql } from '../../connections/store.ts';
import { after, daysWithRecords } from './partitions.ts';
import { instantText } from './windows.ts';

/** Access records can arrive this long after a date, because refusals wait in a queue and clocks differ. */
const arrivalDelay = sql.raw(`interval '1 hour'`);

/** A number that no other advisory lock uses. */
const lockId = sql.lit(4_710_339_218);

export const dayOfRecord = sql.raw(`(occurred_at at time zone 'UTC')::date`);

export const countsOfRecords = sql.raw(`
  coalesce(sum(count) filter (where outcome = 'allowed'), 0) as allowed,
  coalesce(sum(count) filter (where outcome <> 'allowed'), 0) as refused`);

export const countedUntil = sql.raw(`(
  select coalesce((max(day) + 1)::timestamp at time zone 'UTC', 'epoch') from access_day
  where day < (now() at time zone 'UTC')::date)`);

/**
 * Counts the records of one date: the oldest complete date that isn't counted yet. Each date is counted once, so
 * records that arrive later are listed but not counted. Several processes may call this at once.
 *
 * @param now the date must be over at this time, and also according to the server's clock
 * @returns true if another date may need counting
 */
export async function countNextDay(store: Store, now: Date): Promise<boolean> {
  const next = await store.first(sql<{ day: Day }>`
    select day from (${daysWithRecords}) as held
    where not exists (select from access_day where access_day.day = held.day::date)
      and (held.day::date + 1)::timestamp at time zone 'UTC' + ${arrivalDelay}
        <= least(${now}::timestamptz, now())
    order by day limit 1`);
  return next !== null && (await store.run(counting(next.day))).length > 0;
}

const counting = (day: Day) => sql`
  with turn as materialized (
    select pg_try_advisory_xact_lock(${lockId}) as is_mine
  ), counted as materialized (
    select company_id, investor_id, scope, metric_key, grant_id, count(*) as records,
      max(occurred_at) as last_at, ${countsOfRecords}
    from access_record
    where (select is_mine from turn)
      and occurred_at >= ${instantText(new Date(day))}
      and occurred_at < ${instantText(new Date(after(day)))}
    group by 1, 2, 3, 4, 5
  ), whole as (
    insert into access_day (day, records)
    select ${day}::date, (select coalesce(sum(records), 0) from counted) from turn where is_mine
    on conflict do nothing returning day
  ), of_grants as (
    insert into access_grant_use (grant_id, day, company_id, reads, last_read_at)
    select grant_id, day, min(company_id), sum(allowed), max(last_at) from counted, whole
    where grant_id is not null and company_id is not null group by 1, 2
  ), of_companies as (
    insert into access_day_count
      (company_id, day, investor_id, scope, metric_key, grant_id, allowed, refused)
    select company_id, day, investor_id, scope, metric_key, grant_id, allowed, refused
    from counted, whole where company_id is not null
  )
  select day from whole`;

/** Returns the dates whose stored counts differ from the records. Slow, because it reads all records. */
export async function listMiscountedDays(store: Store): Promise<Day[]> {
  const days = await store.run(sql<{ day: Day }>`
    with held as (
      select ${dayOfRecord} as day, count(*) as records,
        coalesce(sum(count) filter (where company_id is not null), 0) as reads,
        count(*) filter (where company_id is not null and grant_id is not null) as uses
      from access_record group by 1
    ), counted as (
      select day, sum(allowed + refused) as reads from access_day_count group by 1
    ), used as (
      select day, sum(reads) as uses from access_grant_use group by 1
    )
    select to_char(day, 'YYYY-MM-DD') as day
    from access_day full join counted using (day) full join used using (day)
    left join held using (day)
    where access_day.day is null or access_day.day >= (now() at time zone 'UTC')::date
      or held.records is not null and (
      held.records <> access_day.records or held.reads <> coalesce(counted.reads, 0)
      or held.uses <> coalesce(used.uses, 0))
    order by day`);
  return days.map(({ day }) => day);
}
