import { appendOnly, firstRelease } from './schema-migration.ts';

const table = `
  create table access_record (
    id text collate "C" not null,
    occurred_at timestamptz(3) not null,
    request_id text collate "C" not null,
    protocol text not null,
    key_id text collate "C",
    investor_id text collate "C" not null,
    company_id text collate "C",
    scope text not null,
    resource text not null,
    metric_key text,
    grant_id text collate "C",
    outcome text not null,
    count integer not null default 1,
    contact_id text collate "C",
    constraint access_record_names_its_grant
      check ((outcome = 'allowed') = (grant_id is not null)),
    constraint access_record_names_who_asked check ((key_id is null) <> (contact_id is null)),
    constraint access_record_counts_refusals
      check (count = 1 or (count > 1 and grant_id is null))
  ) partition by range (occurred_at);
  create table access_record_other partition of access_record default;`;

/** A 4-byte hash instead of each ID keeps an index entry small. Conditions must name both the hash and the ID. */
const indexes = `
  create index access_record_by_company on access_record (hashtext(company_id), occurred_at);
  create index access_record_by_investor
    on access_record (hashtext(investor_id), hashtext(scope), occurred_at);
  -- Finds the records of a few minutes. A BRIN index hardly slows down insertions.
  create index access_record_by_time on access_record
    using brin (occurred_at) with (pages_per_range = 32, autosummarize = on);`;

/** Lets roles create partitions without owning the table. The owner must grant the right to call the function. */
const days = `
  create function create_access_record_days() returns void language plpgsql
    security definer set search_path from current set timezone = 'UTC' as $$
    declare
      day timestamptz;
      name text;
    begin
      lock table only access_record in share update exclusive mode;
      for day in
        select date_trunc('day', now()) + make_interval(days => number)
        from generate_series(0, 14) as number
      loop
        name := 'access_record_' || to_char(day, 'YYYY_MM_DD');
        continue when to_regclass(name) is not null;
        -- Skips a date that has records in the default partition, because only the owner can move them to another
        -- partition.
        continue when exists (select from access_record_other
          where occurred_at >= day and occurred_at < day + interval '1 day');
        execute format('create table %I partition of access_record for values from (%L) to (%L)',
          name, day, day + interval '1 day');
      end loop;
    end
  $$;
  revoke execute on function create_access_record_days() from public;`;

/** The daily counts stay after the access records were deleted. The roles can insert counts but can't change them. */
const counts = `
  create table access_day (
    day date primary key,
    records bigint not null constraint access_day_never_negative check (records >= 0),
    counted_at timestamptz(3) not null default now()
  );
  create table access_day_count (
    company_id text collate "C" not null,
    day date not null,
    investor_id text collate "C" not null,
    scope text not null,
    metric_key text,
    grant_id text collate "C",
    allowed bigint not null,
    refused bigint not null,
    constraint access_day_count_never_negative check (allowed >= 0 and refused >= 0),
    constraint access_day_count_once unique nulls not distinct
      (company_id, day, investor_id, scope, metric_key, grant_id)
  );
  create table access_grant_use (
    grant_id text collate "C" not null,
    day date not null,
    company_id text collate "C" not null,
    reads bigint not null constraint access_grant_use_never_negative check (reads >= 0),
    last_read_at timestamptz(3) not null,
    primary key (grant_id, day)
  );`;

/**
 * Each partition has the access records of one date, so that an operator can drop them together. If a date has no
 * partition, its records go to the default partition.
 */
export const accessRecords = firstRelease(
  '20261125-09-access-records',
  table,
  indexes,
  appendOnly('access_record', 'update', 'delete', 'truncate'),
  days,
  counts,
);
