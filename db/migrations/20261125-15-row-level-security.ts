import { daysInFeed } from '#core';
import { firstRelease, idsIn, isNotPast, isNow } from './schema-migration.ts';

const companies = 'portfolio_access.companies';
const investors = 'portfolio_access.investors';

/**
 * Evaluated once per statement, then looked up for each row. False for all rows if the setting isn't set. Not `=
 * any(…)`,
 * which could become a second index condition: PostgreSQL before 17 then looks up each pair.
 */
const isOf = (setting: string, column: string) => `${column} in (select unnest(${idsIn(setting)}))`;

/** A setting from an earlier transaction of the session is empty, not absent. */
const isUnset = (setting: string) =>
  `(select coalesce(current_setting('${setting}', true), '') = '')`;

const ofCompany = (column = 'company_id') => isOf(companies, column);
const ofInvestor = (column = 'investor_id') => isOf(investors, column);

/** For rows that belong to a company and an investor. A scope may name one of them, or both. */
const ofPair = (isOfInvestor = ofInvestor()) => `(
  (${ofCompany()} and (${isUnset(investors)} or ${isOfInvestor}))
  or (${isUnset(companies)} and ${isOfInvestor}))`;

/** The series of a few companies are found by index, once per statement. */
const ofSeries = `series_id in (
  select id from metric_series where company_id = any((select ${idsIn(companies)})::text[]))`;

/** A receipt belongs to the investor of its request. */
const ofRequest = `exists (
  select from access_request as request
  where request.id = access_request_id and ${ofInvestor('request.investor_id')})`;

/** A data event belongs to no investor. Investors with a grant for a part of it can see it. */
const ofEventOfData = `(
  ${isUnset(companies)} and investor_id is null and exists (
    select from access_request as request
      join portfolio_membership as membership
        on membership.investor_id = request.investor_id and membership.company_id = request.company_id
          and membership.removed_at is null
    where request.company_id = access_event.company_id and ${ofInvestor('request.investor_id')}
      and request.status = 'approved' and request.approved_scopes && scopes))`;

/** The names of the other parties that the owner of a scope knows, from now or an earlier request. */
const knownToScope = (own: 'company' | 'investor', setting: string, other: string) => {
  const pair = (table: string, more = '') => `exists (
    select from ${table} as pair
    where pair.${own}_id = ${own}.id and ${isOf(setting, `pair.${other}_id`)} ${more})`;
  return `(${pair('portfolio_membership', 'and removed_at is null')} or ${pair('access_request')})`;
};

/** The visible rows of each table in a scope. */
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
  api_key: ofInvestor(),
  company_key: ofCompany(),
  webhook_delivery: ofCompany(),
  access_day_count: ofCompany(),
  access_grant_use: ofCompany(),
  idempotency_key: ofInvestor(),
  portfolio_membership: ofPair(),
  access_request: ofPair(),
  access_event: `(${ofPair()} or ${ofEventOfData})`,
  consent_receipt: ofPair(ofRequest),
  webhook_endpoint: ofPair(),
  settings_change: ofPair(),
  contact: ofPair(),
  mail: ofPair(),
};

/**
 * Tables that no scope opens, only background work reads them. Access records are protected by rights alone: with any
 * policy,
 * the planner may not use column statistics, and scans all records of a company for its latest ones.
 */
const unscoped = ['desk_form', 'desk_session', 'sign_in_link'];

/**
 * Read by functions that PostgreSQL wouldn't evaluate before a policy: a bound owner would scan the whole table for one
 * row
 * (decision record 0016).
 */
const unforced = ['api_key', 'company_key'];

/** The owner names its scope in a setting. A function with the owner's rights sees all rows. */
const ofEveryone = `(select
  current_setting('portfolio_access.everyone', true) = 'on' or session_user <> current_user)`;

/** The table name is a regclass constant, because the service could create a temporary table with the same name. */
const isOwner = (table: string) => `(
  select pg_has_role(relowner, 'usage') from pg_class where oid = '${table}'::regclass)`;

/**
 * Rows that a statement in a scope may insert. An entry in the settings log names no other owner. An entry in a scope
 * can't name the operator, the service or the other side's key as its actor, unless one role does everything. The clock may only expire a
 * request.
 */
const additions: Readonly<Record<string, string>> = {
  access_event: `${ofPair()}
    and (actor_type is null or actor_type = 'contact'
      or (actor_type = 'investor' and ${ofInvestor()})
      or (actor_type = 'company_key' and ${ofCompany()})
      or (actor_type = 'clock' and type = 'access_request.expired')
      or ${isOwner('access_event')})`,
  settings_change: `(company_id is null or ${ofCompany()})
    and (investor_id is null or ${ofInvestor()})
    and (actor->>'type' in ('api_key', 'company_key', 'contact') or ${isOwner('settings_change')})`,
};

const policies = ([table, isOfScope]: [string, string]) => `
  create policy of_scope on ${table} to current_user using (${isOfScope})
    ${table in additions ? `with check (${additions[table]})` : ''};
  create policy of_everyone on ${table} to current_user using (${ofEveryone});
  alter table ${table} enable row level security,
    ${unforced.includes(table) ? 'no force' : 'force'} row level security;`;

/** Only the operator and the owner may suspend companies. */
const isOperator = `(select has_column_privilege('company'::regclass, 'suspended_at', 'update'))`;

/**
 * Restrictive policies for every role except the owner of the tables. The owner restores backups and writes sample data
 * of the past.
 */
const restriction = (name: string, table: string, command: string) => `
  create policy ${name} on ${table} as restrictive for ${command} to current_user`;

/** The condition must hold before an update. PostgreSQL would otherwise check it after the update, too. */
const updates = (name: string, table: string, before: string, after = 'true') => `
  ${restriction(name, table, 'update')}
    using (${before} or ${isOwner(table)}) with check (${after} or ${isOwner(table)});`;

/** A policy sees only those rows of other tables that the role sees. */
const ownRequest = (table: string) => `
  ${restriction('own_request', table, 'insert')} with check (access_request_id is null or exists (
    select from access_request as request
    where request.id = access_request_id and request.company_id = ${table}.company_id
  ) or ${isOwner(table)});`;

const dated = (table: string, instant: string) => `
  ${restriction('dated', table, 'insert')} with check (${isNow(instant)} or ${isOwner(table)});`;

/**
 * Limits the version of a push, because the largest possible version would end all pushes. The clock may be years
 * behind.
 */
const isNearVersion = `
  version < (extract(epoch from clock_timestamp()) + 10 * 365 * 86400) * 1000000
  or ${isOwner('company_data_version')}`;

const restrictions = `
  ${dated('access_event', 'created_at')}
  ${dated('consent_receipt', 'issued_at')}
  ${dated('settings_change', 'created_at')}
  ${restriction('own_actor', 'access_event', 'insert')}
    with check (actor_type is distinct from 'operator' or ${isOperator});
  ${restriction('own_actor', 'settings_change', 'insert')}
    with check ((actor->>'type' <> 'operator' or ${isOperator})
      and (type <> 'access_log.dropped' or ${isOwner('settings_change')}));
  ${ownRequest('access_event')}
  ${ownRequest('consent_receipt')}
  ${restriction('begins_pending', 'access_request', 'insert')}
    with check ((status = 'pending' and ${isNotPast('created_at')}) or ${isOwner('access_request')});
  ${updates('created_once', 'company', 'true', isOperator)}
  ${updates('created_once', 'investor', 'true', isOperator)}
  ${restriction('near', 'company_data_version', 'all')} using (true) with check (${isNearVersion});
  ${updates('ended_stays', 'access_request', `status in ('pending', 'approved')`)}
  ${updates('late', 'consent_receipt', 'signature is null', `(signature is not null and ${isNow('signed_at')})`)}
  ${updates('signed_once', 'metric_revision', 'signature is null')}
  ${restriction('forgotten', 'access_event', 'delete')}
    using ((data is not null and created_at < clock_timestamp() - interval '${daysInFeed} days')
      or ${isOwner('access_event')});
  ${restriction('removed_only', 'webhook_endpoint', 'delete')}
    using (removed_at is not null or ${isOwner('webhook_endpoint')});`;

/**
 * Without a scope, no row is visible. The policies belong to the owner, who may be bound by them and sets a setting to
 * see all
 * rows. roles.sql grants them to the roles, which can't use that setting.
 */
export const rowLevelSecurity = firstRelease(
  '20261125-15-row-level-security',
  ...Object.entries(scopes).map(policies),
  restrictions,
  ...unscoped.map((table) => `alter table ${table} enable row level security`),
);
