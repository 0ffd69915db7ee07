import { daysInFeed } from '#core';
import { firstRelease, idsIn, isNotPast, isNow } from './schema-migration.ts';

const companies = 'portfolio_access.companies';
const investors = 'portfolio_access.investors';

/**
 * PostgreSQL evaluates the list once per statement. The condition is false for all rows if the setting is unset. With
 * `= any(…)`, PostgreSQL before 17 could look up each pair of IDs in an index.
 */
const isOf = (setting: string, column: string) => `${column} in (select unnest(${idsIn(setting)}))`;

/** A setting of an earlier transaction in the session is empty instead of absent. */
const isUnset = (setting: string) =>
  `(select coalesce(current_setting('${setting}', true), '') = '')`;

const ofCompany = (column = 'company_id') => isOf(companies, column);
const ofInvestor = (column = 'investor_id') => isOf(investors, column);

/** For rows of a company and an investor. The scope names one of them, or both. */
const ofPair = (isOfInvestor = ofInvestor()) => `(
  (${ofCompany()} and (${isUnset(investors)} or ${isOfInvestor}))
  or (${isUnset(companies)} and ${isOfInvestor}))`;

/** Finds the series of the companies by index, once per statement. */
const ofSeries = `series_id in (
  select id from metric_series where company_id = any((select ${idsIn(companies)})::text[]))`;

const ofRequest = `exists (
  select from access_request as request
  where request.id = access_request_id and ${ofInvestor('request.investor_id')})`;

/** Data events have no investor. Investors with a grant for a part of an event see it. */
const ofEventOfData = `(
  ${isUnset(companies)} and investor_id is null and exists (
    select from access_request as request
      join portfolio_membership as membership
        on membership.investor_id = request.investor_id and membership.company_id = request.company_id
          and membership.removed_at is null
    where request.company_id = access_event.company_id and ${ofInvestor('request.investor_id')}
      and request.status = 'approved' and request.approved_scopes && scopes))`;

/** The other parties whose names the owner of a scope knows, from a portfolio or any request. */
const knownToScope = (own: 'company' | 'investor', setting: string, other: string) => {
  const pair = (table: string, more = '') => `exists (
    select from ${table} as pair
    where pair.${own}_id = ${own}.id and ${isOf(setting, `pair.${other}_id`)} ${more})`;
  return `(${pair('portfolio_membership', 'and removed_at is null')} or ${pair('access_request')})`;
};

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
 * Only background work reads these tables. Access records have no policy: with one, the planner could not use column
 * statistics and would scan all records of a company.
 */
const unscoped = ['desk_form', 'desk_session', 'sign_in_link'];

/**
 * Functions read these tables in conditions that PostgreSQL evaluates only after a policy. With `force`, the owner
 * would scan the whole table for one row (decision record 0016).
 */
const unforced = ['api_key', 'company_key'];

/** The owner sees all rows with this setting, and in a function with its rights. */
const ofEveryone = `(select
  current_setting('portfolio_access.everyone', true) = 'on' or session_user <> current_user)`;

/** A regclass constant, because the service could create a temporary table with the same name. */
const isOwner = (table: string) => `(
  select pg_has_role(relowner, 'usage') from pg_class where oid = '${table}'::regclass)`;

/**
 * The rows that a statement in a scope may insert. An entry of the settings log names no other owner. The actor of an
 * entry can't be the operator, the service or a key of the other side, unless one role does everything.
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

const isOperator = `(select has_column_privilege('company'::regclass, 'suspended_at', 'update'))`;

/**
 * Restrictive policies bind every role except the owner, which restores backups and writes sample data with past times.
 */
const restriction = (name: string, table: string, command: string) => `
  create policy ${name} on ${table} as restrictive for ${command} to current_user`;

/**
 * `before` must hold before an update, and `after` after it. Without a check, PostgreSQL would test `before` at both
 * times.
 */
const updates = (name: string, table: string, before: string, after = 'true') => `
  ${restriction(name, table, 'update')}
    using (${before} or ${isOwner(table)}) with check (${after} or ${isOwner(table)});`;

/** A policy sees only rows of other tables that the role sees. */
const ownRequest = (table: string) => `
  ${restriction('own_request', table, 'insert')} with check (access_request_id is null or exists (
    select from access_request as request
    where request.id = access_request_id and request.company_id = ${table}.company_id
  ) or ${isOwner(table)});`;

const dated = (table: string, instant: string) => `
  ${restriction('dated', table, 'insert')} with check (${isNow(instant)} or ${isOwner(table)});`;

/**
 * Limits the version, because the largest possible one would end all pushes of a company. The clock of the database may
 * be years behind.
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
 * Without a scope, no row is visible. The policies belong to the owner, who sets a setting to see all rows. roles.sql
 * adds the roles to the policies, and they can't use this setting.
 */
export const rowLevelSecurity = firstRelease(
  '20261125-15-row-level-security',
  ...Object.entries(scopes).map(policies),
  restrictions,
  ...unscoped.map((table) => `alter table ${table} enable row level security`),
);
