import { Migration } from '@mikro-orm/migrations';

/** Keys of other services, by which imported values are signed: they are registered with these, and sign nothing here. */
export class ImportedKeys extends Migration {
  override up(): void {
    this.addSql(`alter table signing_key add column is_imported boolean not null default false`);
    this.addSql(`
      alter table import_revision drop column signing_key, add column kid text,
        add column public_key text`);
  }

  override down(): void {
    this.addSql(`
      alter table import_revision drop column kid, drop column public_key,
        add column signing_key smallint`);
    this.addSql(`alter table signing_key drop column is_imported`);
  }
}
