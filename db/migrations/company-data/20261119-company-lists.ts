import { Migration } from '@mikro-orm/migrations';

/** Lists of a company that are read in the order of an index, however many requests there are. */
export class CompanyLists extends Migration {
  override up(): void {
    this.addSql(`
      drop index access_request_live_of_company, access_request_undecided_of_company`);
    this.addSql(`
      create index access_request_grants_of_company
        on access_request (company_id, deadline_at, id) where status = 'approved'`);
    this.addSql(`
      create index access_request_waiting_of_company
        on access_request (company_id, created_at, id)
        where status = 'pending' or cardinality(pending_scopes) > 0`);
    // As long as the one of pairs: a database without statistics may take either, and both lead to one row.
    this.addSql(`
      create index access_request_investors_of_company
        on access_request (company_id, investor_id, created_at, id)`);
  }

  override down(): void {
    this.addSql(`
      drop index access_request_grants_of_company, access_request_waiting_of_company,
        access_request_investors_of_company`);
    this.addSql(`
      create index access_request_live_of_company on access_request (company_id)
        where status in ('pending', 'approved')`);
    this.addSql(`
      create index access_request_undecided_of_company on access_request (company_id)
        where status = 'pending' or cardinality(pending_scopes) > 0`);
  }
}
