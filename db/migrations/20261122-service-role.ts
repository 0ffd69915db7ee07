import { Migration } from '@mikro-orm/migrations';

/**
 * What takes the owner of the schema, and a role without that right has to do all the same: making the months of the
 * access records, and telling the planner how much an import has staged. Both functions have their owner's rights and a
 * fixed search path, and take nothing from the caller.
 */
export class ServiceRole extends Migration {
  override up(): void {
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
          -- Records that are there already are moved by the owner.
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
    this.#define(
      'analyze_import',
      `begin
        analyze import_company, import_metric, import_revision, import_source, import_account,
          import_signature;
      end`,
    );
  }

  /** Nobody may call it before the owner says so. */
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

  override down(): void {
    this.addSql(`drop function create_access_record_months(), analyze_import()`);
  }
}
