import { Migration } from '@mikro-orm/migrations';

const companies = 'portfolio_access.companies';
const investors = 'portfolio_access.investors';

/** A setting that was made in an earlier transaction of the session is empty, not absent. */
const isUnset = (setting: string) =>
  `(select coalesce(current_setting('${setting}', true), '') = '')`;
const idsIn = (setting: string) => `nullif(current_setting('${setting}', true), '')::text[]`;

/**
 * Evaluated once for a statement, and then looked up for each row. As `= any(…)` it could become a condition of an index,
 * beside that of the statement; PostgreSQL before 17 looks up each pair of both then.
 */
const isOf = (setting: string, column: string) => `${column} in (select unnest(${idsIn(setting)}))`;

const within = (setting: string, condition: string) => `(${isUnset(setting)} or ${condition})`;
const ofCompany = (column = 'company_id') => within(companies, isOf(companies, column));
const ofInvestor = within(investors, isOf(investors, 'investor_id'));

/** The series of a few companies are found by their index, once for a statement. */
const ofSeries = within(
  companies,
  `series_id in (
    select id from metric_series where company_id = any((select ${idsIn(companies)})::text[]))`,
);

/** A receipt is of the investor of its request. */
const ofRequest = within(
  investors,
  `exists (
    select from access_request as request
    where request.id = access_request_id and ${isOf(investors, 'request.investor_id')})`,
);

/** The rows of each table that a scope leaves. */
export const policies: Readonly<Record<string, string>> = {
  company: ofCompany('id'),
  metric_series: ofCompany(),
  metric_point: ofSeries,
  metric_revision: ofSeries,
  source: ofCompany(),
  account: ofCompany(),
  company_data_version: ofCompany(),
  upstream_signer: ofCompany(),
  company_key: ofCompany(),
  company_contact: ofCompany(),
  mail: ofCompany(),
  webhook_delivery: ofCompany(),
  access_record_day: ofCompany(),
  access_record_day_sum: ofCompany(),
  access_record_grant: ofCompany(),
  portfolio_membership: `${ofCompany()} and ${ofInvestor}`,
  access_request: `${ofCompany()} and ${ofInvestor}`,
  access_event: `${ofCompany()} and ${ofInvestor}`,
  consent_receipt: `${ofCompany()} and ${ofRequest}`,
  webhook_endpoint: `${ofCompany()} and ${ofInvestor}`,
};

/**
 * A statement that is run in the scope of some companies, or investors, sees and writes no rows of others, even where it
 * forgets to say so. Outside of a scope everything is seen, as by a release that knows of no scopes.
 */
export class RowLevelSecurity extends Migration {
  override up(): void {
    for (const [table, isOfScope] of Object.entries(policies)) {
      this.addSql(`create policy of_scope on ${table} using (${isOfScope})`);
      // Forced: the role that serves may own the tables.
      this.addSql(`alter table ${table} enable row level security, force row level security`);
    }
  }

  override down(): void {
    for (const table of Object.keys(policies)) {
      this.addSql(`alter table ${table} disable row level security, no force row level security`);
      this.addSql(`drop policy of_scope on ${table}`);
    }
  }
}
