import { daysInFeed } from '#core';
import { isReadableEvent } from './readable-events.ts';
import { firstRelease, idsIn, isNotPast, isNow } from './schema-migration.ts';

const companies = 'portfolio_access.companies';
const investors = 'portfolio_access.investors';

/**
 * The condition that a column has one of the IDs in a setting. If the setting is unset, no row matches. PostgreSQL
 * evaluates the setting once per statement. With `= any(…)`, PostgreSQL before version 17 may look up each pair of a
 * company and an investor in an index, which is slow.
 */
const isOf = (setting: string, column: string) => `${column} in (select unnest(${idsIn(setting)}))`;

/** True if the setting is absent or empty. PostgreSQL keeps a setting as an empty text after a transaction. */
const isUnset = (setting: string) =>
  `(select coalesce(current_setting('${setting}', true), '') = '')`;

const ofCompany = (column = 'company_id') => isOf(companies, column);
const ofInvestor = (column = 'investor_id') => isOf(investors, column);

/** For rows that belong to a company and an investor. A row scope can list companies, investors or both. */
const ofPair = (isOfInvestor = ofInvestor()) => `(
  (${ofCompany()} and (${isUnset(investors)} or ${isOfInvestor}))
  or (${isUnset(companies)} and ${isOfInvestor}))`;

/** Finds the metric series of the row scope's companies by an index, once per statement. */
const ofSeries = `series_id in (
  select id from metric_series where company_id = any((select ${idsIn(companies)})::text[]))`;

const ofRequest = `exists (
  select from access_request as request
  where request.id = access_request_id and ${ofInvestor('request.investor_id')})`;

/** A data event has no investor. An investor with a grant for one of the event's scopes sees the event. */
const ofEventOfData = `(
  ${isUnset(companies)} and investor_id is null and exists (
    select from access_request as request
      join portfolio_membership as membership
        on membership.investor_id = request.investor_id and membership.company_id = request.company_id
          and membership.removed_at is null
    where request.company_id = access_event.company_id and ${ofInvestor('request.investor_id')}
      and request.status = 'approved' and request.approved_scopes && scopes))`;

/** A company and an investor can see each other's name if they share a portfolio membership or an access request. */
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
  approval_rule: ofCompany(),
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
 * The tables that only background work reads. The table of access records has no policy at all. With a policy, the
 * planner could not use column statistics and would scan all records of a company.
 */
const unscoped = ['desk_form', 'desk_session', 'sign_in_link'];

/**
 * Some functions read these two tables with the owner's rights. With `force`, the policies would also apply to the
 * owner. PostgreSQL would then check the policy before the functions' conditions, and would scan the complete table for
 * one row (decision record 0016).
 */
const unforced = ['api_key', 'company_key'];

/** The owner sees all rows if `portfolio_access.everyone` is on, or in a function with the owner's rights. */
const ofEveryone = `(select
  current_setting('portfolio_access.everyone', true) = 'on' or session_user <> current_user)`;

/** Uses a regclass constant. A name could find a temporary table that the service created with the same name. */
const isOwner = (table: string) => `(
  select pg_has_role(relowner, 'usage') from pg_class where oid = '${table}'::regclass)`;

/**
 * The rows that a statement with a row scope may insert. An entry of the settings log must not name a company or
 * investor outside the scope. The actor of a row can't be the operator, the service or the other party's key. A role
 * that owns the tables has no such limits.
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

/** Applies to every role except the owner, who restores backups and writes sample data with past times. */
const restriction = (name: string, table: string, command: string) => `
  create policy ${name} on ${table} as restrictive for ${command} to current_user`;

/** `before` is for the old row, `after` for the new one. Without `with check`, `before` would apply to both. */
const updates = (name: string, table: string, before: string, after = 'true') => `
  ${restriction(name, table, 'update')}
    using (${before} or ${isOwner(table)}) with check (${after} or ${isOwner(table)});`;

/** The row's access request must belong to the row's company, and the role must be able to see the request. */
const ownRequest = (table: string) => `
  ${restriction('own_request', table, 'insert')} with check (access_request_id is null or exists (
    select from access_request as request
    where request.id = access_request_id and request.company_id = ${table}.company_id
  ) or ${isOwner(table)});`;

const dated = (table: string, instant: string) => `
  ${restriction('dated', table, 'insert')} with check (${isNow(instant)} or ${isOwner(table)});`;

/**
 * Limits the version of a company's data. Each push must raise the version, so the largest possible number would block
 * all later pushes. Versions are derived from the time. The limit is ten years in the future, because the database's
 * clock may be years behind the existing versions.
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
  ${restriction('readable', 'access_event', 'insert')}
    with check (${isReadableEvent} or ${isOwner('access_event')});
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
 * Without a row scope, no row is visible. The policies first apply only to the owner of the tables, who can set
 * `portfolio_access.everyone` to see all rows. roles.sql adds the roles to the policies. For these roles, the setting
 * has no effect.
 */
export const rowLevelSecurity = firstRelease(
  '20261125-15-row-level-security',
  ...Object.entries(scopes).map(policies),
  restrictions,
  ...unscoped.map((table) => `alter table ${table} enable row level security`),
);
