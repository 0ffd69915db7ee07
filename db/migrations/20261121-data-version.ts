import { Migration } from '@mikro-orm/migrations';

/** How each table tells the companies of the rows that a statement touched. */
const companiesOf: Readonly<Record<string, (rows: string) => string>> = {
  metric_series: (rows) => `select company_id from ${rows}`,
  metric_point: (rows) =>
    `select company_id from metric_series where id in (select series_id from ${rows})`,
  source: (rows) => `select company_id from ${rows}`,
  account: (rows) => `select company_id from ${rows}`,
};

/** The rows as they were and as they are: what moves from one company to another changes both. */
const rowsOf: Readonly<Record<string, readonly ('former' | 'latter')[]>> = {
  insert: ['latter'],
  update: ['former', 'latter'],
  delete: ['former'],
};

const transitionTables = { former: 'old table as former', latter: 'new table as latter' };

const createFunction = (name: string, companies: string) => `
  create function ${name}() returns trigger language plpgsql as $$
    begin
      insert into company_data_version as kept (company_id, version)
      select company_id, nextval('company_data_version_number')
      from (select distinct company_id from (${companies}) as touched order by company_id) as company
      on conflict (company_id) do update set version = excluded.version;
      return null;
    end
  $$`;

/**
 * A number for each company that is another one after every change of what can be read of it, whoever makes the
 * change: what was read under the same number is the same. No number comes twice, so none has to be remembered as gone.
 */
export class DataVersion extends Migration {
  override up(): void {
    this.addSql(`create sequence company_data_version_number`);
    this.addSql(`
      create table company_data_version (
        company_id text primary key
          constraint company_data_version_company references company (id),
        version bigint not null
      )`);
    for (const [table, select] of Object.entries(companiesOf)) {
      for (const [event, rows] of Object.entries(rowsOf)) {
        const companies = rows.map(select).join(' union ');
        this.#watch(
          table,
          event,
          companies,
          rows.map((name) => transitionTables[name]),
        );
      }
      this.#watch(table, 'truncate', 'select company_id from company_data_version', []);
    }
  }

  /** Also in a session that restores or replays, in which triggers are asleep by default. */
  #watch(table: string, event: string, companies: string, tables: readonly string[]): void {
    const name = `${table}_${event}_is_noted`;
    const referencing = tables.length === 0 ? '' : `referencing ${tables.join(' ')}`;
    this.addSql(createFunction(name, companies));
    this.addSql(`
      create trigger ${name} after ${event} on ${table} ${referencing}
        for each statement execute function ${name}()`);
    this.addSql(`alter table ${table} enable always trigger ${name}`);
  }

  override down(): void {
    for (const table of Object.keys(companiesOf)) {
      for (const event of [...Object.keys(rowsOf), 'truncate']) {
        this.addSql(`drop trigger ${table}_${event}_is_noted on ${table}`);
        this.addSql(`drop function ${table}_${event}_is_noted()`);
      }
    }
    this.addSql(`drop table company_data_version`);
    this.addSql(`drop sequence company_data_version_number`);
  }
}
