import { Migration } from '@mikro-orm/migrations';

/** Which rows a statement touched, by the names that the triggers give them. */
const events = { insert: 'new table', update: 'new table', delete: 'old table' };

const companyOf: Readonly<Record<string, string>> = {
  metric_series: 'select company_id from changed',
  metric_point: 'select company_id from metric_series where id in (select series_id from changed)',
  source: 'select company_id from changed',
  account: 'select company_id from changed',
};

/**
 * A number for each company that grows with every change of what can be read of it, whoever makes the change: what was
 * read under the same number is the same.
 */
export class DataVersion extends Migration {
  override up(): void {
    this.addSql(`
      create table company_data_version (
        company_id text primary key
          constraint company_data_version_company references company (id),
        version bigint not null
      )`);
    for (const [table, companies] of Object.entries(companyOf)) {
      this.addSql(`
        create function note_change_of_${table}() returns trigger language plpgsql as $$
          begin
            insert into company_data_version as kept (company_id, version)
            select distinct company_id, 1 from (${companies}) as touched order by company_id
            on conflict (company_id) do update set version = kept.version + 1;
            return null;
          end
        $$`);
      for (const [event, rows] of Object.entries(events)) {
        this.addSql(`
          create trigger ${table}_${event}_is_noted after ${event} on ${table}
            referencing ${rows} as changed
            for each statement execute function note_change_of_${table}()`);
      }
    }
  }

  override down(): void {
    for (const table of Object.keys(companyOf)) {
      for (const event of Object.keys(events)) {
        this.addSql(`drop trigger ${table}_${event}_is_noted on ${table}`);
      }
      this.addSql(`drop function note_change_of_${table}()`);
    }
    this.addSql(`drop table company_data_version`);
  }
}
