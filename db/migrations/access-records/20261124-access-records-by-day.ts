import { Migration } from '@mikro-orm/migrations';

/**
 * From here on a partition of the access records holds a day, and no longer a month. A month that has records keeps its
 * partition until it is dropped, and the rest of its days go there; a month without records gives way to its days.
 */
export class AccessRecordsByDay extends Migration {
  override up(): void {
    this.addSql(`lock table access_record in access exclusive mode`);
    this.addSql(`
      do $$
      declare
        month text;
        is_used boolean;
      begin
        for month in
          select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
          where inhparent = 'access_record'::regclass and relname ~ '^access_record_\\d{4}_\\d{2}$'
        loop
          execute format('select exists (select from %I)', month) into is_used;
          if not is_used then execute format('drop table %I', month); end if;
        end loop;
      end $$`);
    this.addSql(`drop function create_access_record_months()`);
    this.#define(
      'create_access_record_days',
      `declare
        day timestamptz;
        name text;
      begin
        lock table only access_record in share update exclusive mode;
        for day in
          select date_trunc('day', now()) + make_interval(days => number)
          from generate_series(0, 14) as number
        loop
          name := 'access_record_' || to_char(day, 'YYYY_MM_DD');
          continue when to_regclass(name) is not null
            or to_regclass('access_record_' || to_char(day, 'YYYY_MM')) is not null;
          -- Records that are there already are moved by the owner.
          continue when exists (select from access_record_other
            where occurred_at >= day and occurred_at < day + interval '1 day');
          execute format('create table %I partition of access_record for values from (%L) to (%L)',
            name, day, day + interval '1 day');
          execute format('create trigger %I before truncate on %I
            for each statement execute function refuse_change_of_access_record()',
            name || '_is_kept', name);
          execute format('alter table %I enable always trigger %I', name, name || '_is_kept');
        end loop;
      end`,
    );
  }

  /** The records of days wait in the default partition until their months are made, by `migrate` for instance. */
  override down(): void {
    this.addSql(`lock table access_record in access exclusive mode`);
    this.addSql(`
      do $$
      declare
        day text;
      begin
        for day in
          select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
          where inhparent = 'access_record'::regclass
            and relname ~ '^access_record_\\d{4}_\\d{2}_\\d{2}$'
        loop
          execute format('alter table access_record detach partition %I', day);
          execute format('insert into access_record select * from %I', day);
          execute format('drop table %I', day);
        end loop;
      end $$`);
    this.addSql(`drop function create_access_record_days()`);
    this.#define(
      'create_access_record_months',
      `declare
        month timestamptz;
        name text;
      begin
        lock table only access_record in share update exclusive mode;
        for month in
          select date_trunc('month', now()) + make_interval(months => number)
          from generate_series(0, 3) as number
        loop
          name := 'access_record_' || to_char(month, 'YYYY_MM');
          continue when to_regclass(name) is not null;
          continue when exists (select from access_record_other
            where occurred_at >= month and occurred_at < month + interval '1 month');
          execute format('create table %I partition of access_record for values from (%L) to (%L)',
            name, month, month + interval '1 month');
          execute format('create trigger %I before truncate on %I
            for each statement execute function refuse_change_of_access_record()',
            name || '_is_kept', name);
          execute format('alter table %I enable always trigger %I', name, name || '_is_kept');
        end loop;
      end`,
    );
  }

  /** With its owner's rights and a fixed search path. Nobody may call it before the owner says so. */
  #define(name: string, body: string): void {
    this.addSql(`
      do $do$ begin
        execute format('
          create function ${name}() returns void language plpgsql
          security definer set search_path = %I, pg_temp set timezone = ''UTC'' as $$
            ${body.replaceAll("'", "''").replaceAll('%', '%%')}
          $$', current_schema());
      end $do$`);
    this.addSql(`revoke execute on function ${name}() from public`);
  }
}
