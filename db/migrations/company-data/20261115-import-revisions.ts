import { Migration } from '@mikro-orm/migrations';

/** Where the values of an import wait that say which revision they are, with the signatures that they keep. */
export class ImportRevisions extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table import_revision (
        like import_metric,
        revision integer not null,
        environment text,
        signed_at timestamptz(3),
        signature bytea,
        signing_key smallint,
        primary key (import_id, line)
      )`);
    this.addSql(`
      create index import_revision_of_value on import_revision
        (import_id, company_id, key, period, revision)`);
    this.addSql(`
      create index import_revision_by_number on import_revision (import_id, revision)`);
  }

  override down(): void {
    this.addSql(`drop table import_revision`);
  }
}
