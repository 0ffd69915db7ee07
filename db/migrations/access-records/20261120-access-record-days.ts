import { Migration } from '@mikro-orm/migrations';

/**
 * What the access records come to, by day. A background job counts them, up to an instant that it moves on; how
 * records are counted that come later than that, db/access-records/days.ts tells.
 */
export class AccessRecordDays extends Migration {
  override up(): void {
    this.addSql(`
      create table access_record_day (
        company_id text not null,
        day date not null,
        investor_id text not null,
        scope text not null,
        metric_key text,
        grant_id text,
        allowed bigint not null,
        refused bigint not null,
        constraint access_record_day_once unique nulls not distinct
          (company_id, day, investor_id, scope, metric_key, grant_id)
      ) with (fillfactor = 80)`);
    this.addSql(`
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
      ) with (fillfactor = 80)`);
    this.addSql(`
      create table access_record_grant (
        grant_id text primary key,
        reads bigint not null,
        last_read_at timestamptz(3) not null
      ) with (fillfactor = 80)`);
    this.addSql(`
      create table access_record_late (
        number bigint generated always as identity primary key,
        company_id text not null,
        day date not null
      )`);
    this.addSql(`
      create table access_record_counted (
        only_row boolean primary key constraint access_record_counted_is_one check (only_row),
        counted_until timestamptz(3) not null,
        next_until timestamptz(3),
        next_transaction xid8,
        constraint access_record_counted_next_is_whole
          check ((next_until is null) = (next_transaction is null))
      )`);
    this.addSql(`
      insert into access_record_counted (only_row, counted_until)
        select true, coalesce(min(occurred_at), now()) from access_record`);
    // Finds the records of some minutes, and costs an insertion next to nothing.
    this.addSql(`
      create index access_record_by_time on access_record
        using brin (occurred_at) with (pages_per_range = 32, autosummarize = on)`);
  }

  override down(): void {
    this.addSql(`drop index access_record_by_time`);
    this.addSql(`
      drop table access_record_day, access_record_day_sum, access_record_grant,
        access_record_late, access_record_counted`);
  }
}
