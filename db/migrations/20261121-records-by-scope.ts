import { Migration } from '@mikro-orm/migrations';

/** An investor's records are listed by the scopes of the key that asks: none of them may hide behind many others. */
export class RecordsByScope extends Migration {
  override up(): void {
    // Whoever reads the log for long must not keep all who add to it waiting behind this.
    this.addSql(`set local lock_timeout = '5s'`);
    this.addSql(`
      create index access_record_of_scope
        on access_record (investor_id, scope, occurred_at, id)`);
    this.addSql(`drop index access_record_of_investor`);
  }

  override down(): void {
    this.addSql(`
      create index access_record_of_investor on access_record (investor_id, occurred_at, id)`);
    this.addSql(`drop index access_record_of_scope`);
  }
}
