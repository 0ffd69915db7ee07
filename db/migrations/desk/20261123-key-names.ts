import { Migration } from '@mikro-orm/migrations';

/** What a key is called and when it was last used. No index has either, so that a use costs no more than its row. */
export class KeyNames extends Migration {
  override up(): void {
    for (const table of ['api_key', 'company_key']) {
      this.addSql(`
        alter table ${table} add column name text, add column last_used_at timestamptz(3)`);
    }
  }

  override down(): void {
    for (const table of ['api_key', 'company_key']) {
      this.addSql(`alter table ${table} drop column name, drop column last_used_at`);
    }
  }
}
