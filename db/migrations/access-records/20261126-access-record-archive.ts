import { Migration } from '@mikro-orm/migrations';

/**
 * Which days of the access records have left the database, each with the file that holds them and the investors who have
 * records in it; and what such a day came to, so that records of it that come later are counted on top. A day may have
 * several parts, one for each time that records of it were archived.
 */
export class AccessRecordArchive extends Migration {
  override up(): void {
    this.addSql(`
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
      )`);
    this.addSql(`
      create table access_record_archive_investor (
        day date not null,
        part integer not null,
        investor_id text not null,
        primary key (day, part, investor_id),
        constraint access_record_archive_investor_of_part foreign key (day, part)
          references access_record_archive (day, part) on delete cascade
      )`);
    this.addSql(`
      create table access_record_day_archived (
        company_id text not null,
        day date not null,
        investor_id text not null,
        scope text not null,
        metric_key text,
        grant_id text,
        allowed bigint not null,
        refused bigint not null,
        constraint access_record_day_archived_once unique nulls not distinct
          (company_id, day, investor_id, scope, metric_key, grant_id)
      )`);
  }

  override down(): void {
    this.addSql(`
      do $$ begin
        if exists (select from access_record_archive) then
          raise exception 'there are archived access records; drop them first';
        end if;
      end $$`);
    this.addSql(
      `drop table access_record_archive_investor, access_record_archive, access_record_day_archived`,
    );
  }
}
