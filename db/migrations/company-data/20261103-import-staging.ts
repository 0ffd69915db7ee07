import { Migration } from '@mikro-orm/migrations';

/**
 * Where the lines of an import wait until it is applied. The tables are unlogged: a crash of the database server empties
 * them, but then the import has to be started again anyway.
 */
export class ImportStaging extends Migration {
  override up(): void {
    this.addSql(`
      create table import_run (
        id text primary key,
        started_at timestamptz(3) not null
      )`);
    const staged = (type: string, columns: string) =>
      this.addSql(`
        create unlogged table import_${type} (
          import_id text not null,
          line bigint not null,
          ${columns},
          primary key (import_id, line)
        )`);
    staged('company', `company_id text not null, name text not null, environment text not null`);
    staged(
      'metric',
      `company_id text not null,
      key text not null,
      label text not null,
      category text not null,
      period date not null,
      currency text,
      raw_value numeric not null,
      value text not null,
      as_of timestamptz(3) not null,
      confidence text not null,
      source_system text not null,
      source_method text not null,
      last_synced timestamptz(3) not null,
      verified boolean not null`,
    );
    for (const type of ['source', 'account']) staged(type, `like ${type}`);
    this.addSql(`
      create index import_company_by_company on import_company (import_id, company_id, line)`);
  }

  override down(): void {
    this.addSql(`
      drop table import_company, import_metric, import_source, import_account, import_run`);
  }
}
