import { Migration } from '@mikro-orm/migrations';

/**
 * The two indexes of the access records, in 24 bytes an entry: a hash of 4 bytes leads to the records of a company or an
 * investor, and the records of one instant are sorted by their ids when they are read.
 */
export class NarrowAccessRecordIndexes extends Migration {
  override up(): void {
    this.addSql(`drop index access_record_of_company, access_record_of_scope`);
    this.addSql(`
      create index access_record_by_company on access_record (hashtext(company_id), occurred_at)`);
    this.addSql(`
      create index access_record_by_investor
        on access_record (hashtext(investor_id), hashtext(scope), occurred_at)`);
  }

  override down(): void {
    this.addSql(`drop index access_record_by_company, access_record_by_investor`);
    this.addSql(`
      create index access_record_of_company on access_record (company_id, occurred_at, id)`);
    this.addSql(`
      create index access_record_of_scope on access_record (investor_id, scope, occurred_at, id)`);
  }
}
