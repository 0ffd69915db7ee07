import { firstRelease } from './schema-migration.ts';

const countsOfDays = (table: string, storage = '') => `
  create table ${table} (
    company_id text not null,
    day date not null,
    investor_id text not null,
    scope text not null,
    metric_key text,
    grant_id text,
    allowed bigint not null,
    refused bigint not null,
    constraint ${table}_once unique nulls not distinct
      (company_id, day, investor_id, scope, metric_key, grant_id)
  ) ${storage};`;

const counts = `
  create table access_record_day_sum (
    company_id text not null,
    day date not null,
    environment text not null,
    scope text not null,
    is_of_investor boolean not null,
    investor_id text,
    metric_key text,
    allowed bigint not null,
    refused bigint not null,
    constraint access_record_day_sum_once unique nulls not distinct
      (company_id, day, environment, scope, is_of_investor, investor_id, metric_key),
    constraint access_record_day_sum_is_of_one_thing check (
      case when is_of_investor then investor_id is not null and metric_key is null
        else investor_id is null end)
  ) with (fillfactor = 80);
  create table access_record_grant (
    grant_id text primary key,
    reads bigint not null,
    last_read_at timestamptz(3) not null,
    company_id text not null
  ) with (fillfactor = 80);
  create table access_record_late (
    number bigint generated always as identity primary key,
    company_id text not null,
    day date not null
  );
  create table access_record_counted (
    only_row boolean primary key constraint access_record_counted_is_one check (only_row),
    counted_until timestamptz(3) not null,
    next_until timestamptz(3),
    next_transaction xid8,
    constraint access_record_counted_next_is_whole
      check ((next_until is null) = (next_transaction is null))
  );
  insert into access_record_counted (only_row, counted_until) values (true, now());`;

/**
 * Each day with the file that holds its records and the investors who have records in it, and what it came to, so that
 * records of it that come later are counted on top. A day has a part for each time that records of it were archived.
 */
const archive = `
  create table access_record_archive (
    day date not null,
    part integer not null constraint access_record_archive_part_counts check (part > 0),
    digest text not null
      constraint access_record_archive_digest_is_sha256 check (digest ~ '^[0-9a-f]{64}$'),
    bytes bigint not null,
    records bigint not null,
    archived_at timestamptz(3) not null default now(),
    is_forgotten boolean not null default false,
    primary key (day, part)
  );
  create table access_record_archive_investor (
    day date not null,
    part integer not null,
    investor_id text not null,
    primary key (day, part, investor_id),
    constraint access_record_archive_investor_of_part foreign key (day, part)
      references access_record_archive (day, part) on delete cascade
  );`;

/** The condition under which a row of each table was lowered. */
const lowered: Readonly<Record<string, string>> = {
  access_record_day: 'new.allowed < old.allowed or new.refused < old.refused',
  access_record_day_sum: 'new.allowed < old.allowed or new.refused < old.refused',
  access_record_grant: 'new.reads < old.reads or new.last_read_at < old.last_read_at',
  access_record_counted: `new.counted_until < old.counted_until
    or new.counted_until > greatest(old.counted_until, old.next_until)
    or new.next_until > clock_timestamp()`,
};

/** The role that counts adds. Only the owner, who drops records, lowers what they came to. */
const onlyGrow = `
  create function refuse_lower_count() returns trigger
    language plpgsql set search_path from current as $$
    begin
      if may_write_history(tg_relid) then
        return new;
      end if;
      raise insufficient_privilege
        using message = 'what was counted of access records is not lowered';
    end
  $$;
  ${Object.entries(lowered)
    .map(
      ([table, condition]) => `
        create trigger ${table}_only_grows before update on ${table}
          for each row when (${condition}) execute function refuse_lower_count();`,
    )
    .join('')}`;

/**
 * What the access records come to, by day, and which days have left the database. A background job counts them, up to an
 * instant that it moves on; how records are counted that come later than that, db/access-records/days.ts tells.
 */
export const accessCounts = firstRelease(
  '20261125-10-access-counts',
  countsOfDays('access_record_day', 'with (fillfactor = 80)'),
  counts,
  archive,
  countsOfDays('access_record_day_archived'),
  onlyGrow,
);
