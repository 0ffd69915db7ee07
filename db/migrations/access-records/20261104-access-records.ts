import { Migration } from '@mikro-orm/migrations';

/**
 * Who read what. The table is partitioned by month, so that old months can be dropped as a whole. Records of a month
 * without a partition go to the default one, so none is lost. Nobody can change, delete or truncate a record.
 */
export class AccessRecords extends Migration {
  override up(): void {
    this.addSql(`
      create table access_record (
        id text not null,
        occurred_at timestamptz(3) not null,
        request_id text not null,
        protocol text not null,
        key_id text not null,
        investor_id text not null,
        company_id text,
        scope text not null,
        resource text not null,
        metric_key text,
        grant_id text,
        outcome text not null,
        count integer not null default 1,
        constraint access_record_names_its_grant
          check ((outcome = 'allowed') = (grant_id is not null)),
        constraint access_record_counts_refusals
          check (count = 1 or (count > 1 and grant_id is null))
      ) partition by range (occurred_at)`);
    this.addSql(`create table access_record_other partition of access_record default`);
    this.addSql(`
      create index access_record_of_company on access_record (company_id, occurred_at, id)`);
    this.addSql(`
      create index access_record_of_scope on access_record (investor_id, scope, occurred_at, id)`);
    this.addSql(`
      create function refuse_change_of_access_record() returns trigger language plpgsql as $$
        begin
          raise insufficient_privilege using message = 'access records are never changed';
        end
      $$`);
    // Partitions take over a row trigger, future ones too; a TRUNCATE trigger must be made on each.
    this.addSql(`
      create trigger access_record_is_final before update or delete on access_record
        for each row execute function refuse_change_of_access_record()`);
    for (const table of ['access_record', 'access_record_other']) {
      this.addSql(`
        create trigger ${table}_is_kept before truncate on ${table}
          for each statement execute function refuse_change_of_access_record()`);
      // A session that restores or replays fires no other triggers.
      this.addSql(`alter table ${table} enable always trigger access_record_is_final`);
      this.addSql(`alter table ${table} enable always trigger ${table}_is_kept`);
    }
  }

  override down(): void {
    this.addSql(`
      do $$ begin
        if exists (select from access_record) then
          raise exception 'there are access records; drop them first';
        end if;
      end $$`);
    this.addSql(`drop table access_record`);
    this.addSql(`drop function refuse_change_of_access_record()`);
  }
}
