import { firstRelease } from './schema-migration.ts';

const companies = 'portfolio_access.companies';
const investors = 'portfolio_access.investors';

const idsIn = (setting: string) => `nullif(current_setting('${setting}', true), '')::text[]`;

/**
 * Evaluated once for a statement, and then looked up for each row; true of no row where the setting is not made. As
 * `= any(…)` it could become a condition of an index, beside that of the statement; PostgreSQL before 17 looks up each
 * pair of both then.
 */
const isOf = (setting: string, column: string) => `${column} in (select unnest(${idsIn(setting)}))`;

/** A setting that was made in an earlier transaction of the session is empty, not absent. */
const isUnset = (setting: string) =>
  `(select coalesce(current_setting('${setting}', true), '') = '')`;

const ofCompany = (column = 'company_id') => isOf(companies, column);
const ofInvestor = (column = 'investor_id') => isOf(investors, column);

/** For rows that are of a company and of an investor; a scope may name one of the two, or both. */
const ofPair = (isOfInvestor = ofInvestor()) => `(
  (${ofCompany()} and (${isUnset(investors)} or ${isOfInvestor}))
  or (${isUnset(companies)} and ${isOfInvestor}))`;

/** The series of a few companies are found by their index, once for a statement. */
const ofSeries = `series_id in (
  select id from metric_series where company_id = any((select ${idsIn(companies)})::text[]))`;

/** A receipt is of the investor of its request. */
const ofRequest = `exists (
  select from access_request as request
  where request.id = access_request_id and ${ofInvestor('request.investor_id')})`;

/** An event of data is of no investor: those with a grant of a part of it have it too. */
const ofEventOfData = `(
  ${isUnset(companies)} and investor_id is null and exists (
    select from access_standing as standing
    where standing.company_id = access_event.company_id and ${ofInvestor('standing.investor_id')}
      and in_portfolio and newest_status = 'approved' and newest_approved_scopes && scopes))`;

/** The names of those that the owner of a scope has to do with, now or by an earlier request. */
const knownToScope = (own: 'company' | 'investor', setting: string, other: string) => {
  const pair = (table: string) => `exists (
    select from ${table} as pair
    where pair.${own}_id = ${own}.id and ${isOf(setting, `pair.${other}_id`)})`;
  return `(${pair('portfolio_membership')} or ${pair('access_request')})`;
};

/** The rows of each table that a scope leaves. */
const scopes: Readonly<Record<string, string>> = {
  company: `(${ofCompany('id')} or ${knownToScope('company', investors, 'investor')})`,
  investor: `(${ofInvestor('id')} or ${knownToScope('investor', companies, 'company')})`,
  metric_series: ofCompany(),
  metric_point: ofSeries,
  metric_revision: ofSeries,
  source: ofCompany(),
  account: ofCompany(),
  company_data_version: ofCompany(),
  idempotent_push: ofCompany(),
  upstream_signer: ofCompany(),
  company_key: ofCompany(),
  webhook_delivery: ofCompany(),
  access_record_day: ofCompany(),
  access_record_day_sum: ofCompany(),
  access_record_grant: ofCompany(),
  idempotency_key: ofInvestor(),
  portfolio_membership: ofPair(),
  access_request: ofPair(),
  access_standing: ofPair(),
  access_event: `(${ofPair()} or ${ofEventOfData})`,
  consent_receipt: ofPair(ofRequest),
  webhook_endpoint: ofPair(),
  settings_change: ofPair(),
  contact: ofPair(),
  mail: ofPair(),
};

/**
 * What no scope opens: only what works for everybody reads it. Access records are guarded by rights alone, because where
 * there is a policy, even one that lets everything pass, the planner must not look at what it knows of their columns, and
 * goes through all of a company's for its last ones.
 */
const unscoped = [
  'access_record_archive_investor',
  'access_record_day_archived',
  'access_record_late',
  'api_key',
  'desk_form',
  'desk_session',
  'sign_in_link',
];

/**
 * Looked up by functions that PostgreSQL would not ask before a policy: an owner who was bound would walk through all of
 * the table for one row (decision record 0075).
 */
const unforced = ['company_key'];

/** Whom the owner works for is said by himself; a function that takes his place works for everybody. */
const ofEveryone = `(select
  current_setting('portfolio_access.everyone', true) = 'on' or session_user <> current_user)`;

const policies = ([table, isOfScope]: [string, string]) => `
  create policy of_scope on ${table} to current_user using (${isOfScope});
  create policy of_everyone on ${table} to current_user using (${ofEveryone});
  alter table ${table} enable row level security,
    ${unforced.includes(table) ? 'no force' : 'force'} row level security;`;

/**
 * Where no scope is set nothing is seen. The policies are the owner's, who may be bound by them and says with a setting
 * that he works for everybody; roles.sql hands them to the roles, of which none has such a setting.
 */
export const rowLevelSecurity = firstRelease(
  '20261125-15-row-level-security',
  ...Object.entries(scopes).map(policies),
  ...unscoped.map((table) => `alter table ${table} enable row level security`),
);
