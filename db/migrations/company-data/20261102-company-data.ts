import { Migration } from '@mikro-orm/migrations';

/** For each table, the query for the companies that some of its rows belong to. */
const companiesOf: Readonly<Record<string, (rows: string) => string>> = {
  metric_series: (rows) => `select company_id from ${rows}`,
  metric_point: (rows) =>
    `select company_id from metric_series where id in (select series_id from ${rows})`,
  source: (rows) => `select company_id from ${rows}`,
  account: (rows) => `select company_id from ${rows}`,
};

/**
 * For each event, the transition tables of its trigger. An update has both, because a row that moves from one company
 * to another changes what can be read of both.
 */
const transitionTablesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  insert: { latter: 'new table as latter' },
  update: { former: 'old table as former', latter: 'new table as latter' },
  delete: { former: 'old table as former' },
};

interface VersionedChange {
  readonly table: string;
  /** Of the trigger and of its function. */
  readonly name: string;
  readonly event: string;
  /** The query for the companies of which something has changed. */
  readonly companies: string;
  readonly referencing: string;
}

const nameOf = (table: string, event: string) => `${table}_${event}_is_noted`;

/** The changes after which a company's data has another version. */
export const versionedChanges: readonly VersionedChange[] = Object.entries(companiesOf).flatMap(
  ([table, select]) => [
    ...Object.entries(transitionTablesOf).map(([event, transition]) => ({
      table,
      event,
      name: nameOf(table, event),
      companies: Object.keys(transition).map(select).join(' union '),
      referencing: `referencing ${Object.values(transition).join(' ')}`,
    })),
    {
      table,
      event: 'truncate',
      name: nameOf(table, 'truncate'),
      companies: 'select company_id from company_data_version',
      referencing: '',
    },
  ],
);

/** @param before statements that are run first */
export const versionFunction = ({ name, companies }: VersionedChange, before = '') => `
  create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      ${before}
      insert into company_data_version as kept (company_id, version)
      select company_id, nextval('company_data_version_number')
      from (select distinct company_id from (${companies}) as touched order by company_id) as company
      on conflict (company_id) do update set version = excluded.version;
      return null;
    end
  $$`;

/** Metrics, sources and accounts. Amounts are numeric without a scale: every digit comes back. */
export class CompanyData extends Migration {
  override up(): void {
    this.addSql(`
      create table metric_series (
        id bigint generated always as identity primary key,
        company_id text not null constraint metric_series_company references company (id),
        key text not null,
        label text not null,
        category text not null,
        constraint metric_series_company_id_key unique (company_id, key)
      )`);
    this.addSql(`
      create table metric_point (
        series_id bigint not null constraint metric_point_series references metric_series (id),
        period date not null,
        currency text constraint metric_point_currency_form check (currency ~ '^[A-Z]{3}$'),
        raw_value numeric not null,
        value text not null,
        as_of timestamptz(3) not null,
        confidence text not null,
        source_system text not null,
        source_method text not null,
        last_synced timestamptz(3) not null,
        verified boolean not null,
        primary key (series_id, period)
      )`);
    this.addSql(`
      create table source (
        company_id text not null constraint source_company references company (id),
        provider text not null,
        account_name text not null,
        status text not null,
        last_synced_at timestamptz(3) not null,
        primary key (company_id, provider, account_name)
      )`);
    this.addSql(`
      create table account (
        company_id text not null constraint account_company references company (id),
        id text not null,
        provider text not null,
        name text not null,
        type text not null
          constraint account_type_known check (type in ('bank', 'credit', 'ledger')),
        currency text not null constraint account_currency_form check (currency ~ '^[A-Z]{3}$'),
        balance text not null,
        raw_balance numeric not null,
        last_four text,
        last_synced_at timestamptz(3) not null,
        primary key (company_id, id)
      )`);
    this.#createDataVersions();
  }

  /**
   * Each company has a version number, and every change of its data gives it a new one, whoever makes the change: data
   * read under the same number is the same. A number is never used twice.
   */
  #createDataVersions(): void {
    this.addSql(`create sequence company_data_version_number`);
    this.addSql(`
      create table company_data_version (
        company_id text primary key
          constraint company_data_version_company references company (id),
        version bigint not null
      )`);
    for (const change of versionedChanges) {
      const { table, event, name, referencing } = change;
      this.addSql(versionFunction(change));
      this.addSql(`
        create trigger ${name} after ${event} on ${table} ${referencing}
          for each statement execute function ${name}()`);
      // A session that restores or replays fires no other triggers.
      this.addSql(`alter table ${table} enable always trigger ${name}`);
    }
  }

  override down(): void {
    this.addSql(`drop table company_data_version, account, source, metric_point, metric_series`);
    this.addSql(`drop sequence company_data_version_number`);
    for (const { name } of versionedChanges) this.addSql(`drop function ${name}()`);
  }
}
