import { Migration } from '@mikro-orm/migrations';

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
  }

  override down(): void {
    for (const table of ['account', 'source', 'metric_point', 'metric_series']) {
      this.addSql(`drop table ${table}`);
    }
  }
}
