import { Migration } from '@mikro-orm/migrations';

/**
 * Where imports wait until they are applied. The staged lines are unlogged: a crash of the database server empties
 * them, and with them goes nothing but an import that has to be started again anyway.
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
          company_id text not null,
          ${columns},
          primary key (import_id, line)
        )`);
    staged('company', `name text not null, environment text not null`);
    staged(
      'metric',
      `key text not null,
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
    staged(
      'source',
      `provider text not null,
      account_name text not null,
      status text not null,
      last_synced_at timestamptz(3) not null`,
    );
    staged(
      'account',
      `id text not null,
      provider text not null,
      name text not null,
      type text not null,
      currency text not null,
      balance text not null,
      raw_balance numeric not null,
      last_four text,
      last_synced_at timestamptz(3) not null`,
    );
    this.addSql(`
      create index import_company_by_company on import_company (import_id, company_id, line)`);
  }

  override down(): void {
    for (const table of ['company', 'metric', 'source', 'account', 'run']) {
      this.addSql(`drop table import_${table}`);
    }
  }
}
