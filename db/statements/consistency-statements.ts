import type { SettingsChange, StoredSetting } from '#core';
import { columnsOf, snakeCase, sql } from '../connections/store.ts';
import { AccessRequestEntity } from '../entities/consent.ts';
import { SettingsChangeEntity } from '../entities/settings.ts';
import { type EventRow, eventColumns } from './access-events.ts';
import { type ClaimsRow, claimsColumns } from './proof/metric-claims.ts';
import { type ReceiptRow, receiptColumns, withReceipt } from './proof/receipt-rows.ts';
import { toArray } from './rows.ts';

export type OwnerKind = 'company' | 'investor';

interface IdRow {
  readonly id: string;
}

interface TrailRow extends EventRow, ReceiptRow {
  readonly investorId: string;
  readonly companyId: string;
  readonly requestId: string;
  readonly receiptRequestId: string;
  readonly receiptCompanyId: string;
}

export interface FeedRow {
  readonly lastPosition: string;
  readonly highestPosition: string;
  readonly runs: readonly { readonly first: string; readonly last: string }[];
  readonly consumers: readonly { readonly name: string; readonly position: string }[];
}

export interface ValueRow extends ClaimsRow {
  readonly seriesId: string;
  readonly isNewest: boolean;
  readonly kid: string | null;
  readonly signedAt: Date | null;
  readonly signature: Uint8Array | null;
}

type SettingRow = StoredSetting & { readonly ownerId: string };

type LogRow = SettingsChange & { readonly ownerId: string };

/** Formats a time like `JSON.stringify` does. */
const isoOf = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Builds the JSON of an access request from its row. The consistency check compares this JSON with the JSON in the
 * events of the access request. The values of events aren't cast, because an invalid value would make the check fail.
 */
const requestAsJson = sql.raw(
  `jsonb_build_object(${Object.keys(AccessRequestEntity.properties)
    .map((name) => {
      const column = `request.${snakeCase(name)}`;
      return `'${name}', ${name.endsWith('At') ? isoOf(column) : column}`;
    })
    .join(', ')})`,
);

/**
 * Finds the last event of an access request with the index on `access_request_id`. If the statement sorted by position,
 * the planner could scan all events.
 */
const lastEvent = sql`
  select * from access_event where access_request_id = request.id
  order by access_request_id desc, number desc limit 1`;

/** True if a row of the company was written by a later transaction than the company's data version. */
const isLater = (rows: string, company: string) =>
  sql.raw(`exists (
    select from ${rows} where ${company} = company.id
      and (version.company_id is null or age(changed.xmin) < age(version.xmin)))`);

const dataOfCompany = ['metric_series', 'source', 'account'].map((table) =>
  isLater(`${table} as changed`, 'changed.company_id'),
);
const valuesOfCompany = ['metric_point', 'metric_revision'].map((table) =>
  isLater(
    `metric_series as series join ${table} as changed on changed.series_id = series.id`,
    'series.company_id',
  ),
);

const valueColumns = sql.raw(`series_id, period, revision, raw_value, currency, as_of,
  source_system, source_method, last_synced, signed_at, signature, signing_key`);

interface StoredKind {
  readonly type: StoredSetting['type'];
  readonly owner: string;
  /** Maps the name of each value in the settings log to the SQL that computes the value. */
  readonly state?: Readonly<Record<string, string>>;
  readonly table?: string;
  readonly id?: string;
  readonly condition?: string;
}

function selectOf({ type, owner, state = {}, ...more }: StoredKind): string {
  const { table = type, id = 'id', condition = 'true' } = more;
  const members = Object.entries(state).map(([name, value]) => `'${name}', ${value}`);
  return `
    select ${owner} as "ownerId", '${type}' as type, ${id} as id,
      jsonb_build_object(${members.join(', ')}) as state
    from ${table} as kept where ${owner} = any(ids) and ${condition}`;
}

const ofKey = {
  name: 'name',
  scopes: 'scopes',
  expiresAt: isoOf('expires_at'),
  isRevoked: 'case when revoked_at is not null then true end',
  replacedBy: 'replaced_by',
};

const isOpen = (row: string) => `${row}.removed_at is null`;

const settingsOf: Readonly<Record<OwnerKind, readonly StoredKind[]>> = {
  company: [{ type: 'company_key', owner: 'company_id', state: { ...ofKey, source: 'source' } }],
  investor: [
    { type: 'api_key', owner: 'investor_id', state: { ...ofKey, rateLimit: 'rate_limit' } },
    {
      ...{ type: 'portfolio', table: 'portfolio_membership', owner: 'investor_id' },
      ...{ id: 'company_id', condition: isOpen('kept') },
    },
  ],
};

/** Null for a company that has never changed the rule. */
const approvalsRequired =
  '(select approvals_required from approval_rule where company_id = kept.id)';

const settingsOfBoth = (kind: OwnerKind): StoredKind[] => [
  {
    ...{ type: kind, owner: 'id' },
    state: {
      ...{ name: 'name', suspendedAt: isoOf('suspended_at') },
      ...(kind === 'company' && { approvalsRequired }),
    },
  },
  { type: 'contact', owner: `${kind}_id`, state: { email: 'email', role: 'role' } },
  {
    ...{ type: 'webhook_endpoint', owner: `${kind}_id`, condition: 'removed_at is null' },
    state: { url: 'url', types: 'types', disabledReason: 'disabled_reason' },
  },
];

export const statements = {
  trails: (requestIds: readonly string[]) => sql<TrailRow>`
    select event.access_request_id as "requestId", ${eventColumns}, ${receiptColumns},
      event.investor_id as "investorId", event.company_id as "companyId",
      receipt.access_request_id as "receiptRequestId", receipt.company_id as "receiptCompanyId"
    from access_event as event ${withReceipt}
    where event.access_request_id = any(${toArray(requestIds)}::text[]) order by event.number`,

  suspects: sql<IdRow>`
    select request.id from access_request as request
      left join lateral (${lastEvent}) as event on true
      left join consent_receipt as receipt on receipt.event_id = event.id
    where request.status in ('pending', 'approved') and (
      event.access_request is distinct from ${requestAsJson}
      or (event.type, event.investor_id, event.company_id)
        is distinct from (request.last_event_type, request.investor_id, request.company_id)
      or (receipt.access_request_id, receipt.issued_at)
        is distinct from (request.id, event.created_at)
      or exists (select from consent_receipt as next where next.previous_id = receipt.id)
      or (receipt.signature is null
        and exists (select from signing_key where not is_imported and retired_at is null)))
    -- Limits the rows, because more rows would delay callers.
    limit 100`,

  strays: sql<IdRow>`
    select receipt.id from consent_receipt as receipt
    where not exists (
      select from access_event as event
      where event.id = receipt.event_id and event.access_request_id = receipt.access_request_id)`,

  feed: (since: Date) => sql<FeedRow>`
    with placed as (
      select position, position - row_number() over (order by position) as run
      from access_event where position >= (
        select min(position) from access_event where created_at >= ${since}::timestamptz)
    ), runs as (
      select min(position) as first, max(position) as last from placed group by run
    )
    select last_position::text as "lastPosition",
      coalesce((select max(position) from access_event), 0)::text as "highestPosition",
      coalesce((
        select json_agg(json_build_object('first', first::text, 'last', last::text) order by first)
        from runs), '[]') as runs,
      coalesce((
        select json_agg(json_build_object('name', name, 'position', position::text))
        from event_consumer), '[]') as consumers
    from access_event_feed`,

  versions: (after: string, limit: number) => sql<IdRow & { readonly isOutdated: boolean }>`
    select company.id, ${sql.join([...dataOfCompany, ...valuesOfCompany], sql` or `)} as "isOutdated"
    from company left join company_data_version as version on version.company_id = company.id
    where company.id > ${after} order by company.id limit ${limit}`,

  values: ({ seriesId, period }: Pick<ValueRow, 'seriesId' | 'period'>, limit: number) => {
    const placesIn = (table: string) => sql`(
      select distinct series_id, period from ${sql.table(table)}
      where (series_id, period) > (${seriesId}::bigint, ${period}::date)
      order by series_id, period limit ${limit})`;
    const revisionsIn = (table: string, isNewest: boolean) => sql`
      select ${valueColumns}, ${isNewest}::boolean as is_newest from ${sql.table(table)}
      where series_id = place.series_id and period = place.period`;
    return sql<ValueRow>`
      select point.series_id::text as "seriesId", company.environment, point.revision,
        ${claimsColumns('series', 'point')}, point.is_newest as "isNewest",
        signing_key.kid, point.signed_at as "signedAt", point.signature
      from (
        select series_id, period
        from (${placesIn('metric_point')} union ${placesIn('metric_revision')}) as found
        order by series_id, period limit ${limit}
      ) as place
      cross join lateral (
        ${revisionsIn('metric_point', true)} union all ${revisionsIn('metric_revision', false)}
      ) as point
      join metric_series as series on series.id = point.series_id
      join company on company.id = series.company_id
      left join signing_key on signing_key.number = point.signing_key
      order by point.series_id, point.period, point.revision, point.is_newest`;
  },

  names: sql<IdRow>`
    select distinct company.id from portfolio_membership as membership
      join company on company.id = membership.company_id
    where membership.company_name <> company.name and ${sql.raw(isOpen('membership'))}`,

  settings: (kind: OwnerKind, ids: readonly string[]) => sql<SettingRow>`
    select kept.* from (select ${toArray(ids)}::text[] as ids) as question
    cross join lateral (
      ${sql.raw([...settingsOf[kind], ...settingsOfBoth(kind)].map(selectOf).join(' union all '))}
    ) as kept`,

  log: (kind: OwnerKind, ids: readonly string[]) => sql<LogRow>`
    select ${sql.ref(`${kind}_id`)} as "ownerId", ${columnsOf(SettingsChangeEntity, 'settings_change')}
    from settings_change
    where ${sql.ref(`${kind}_id`)} = any(${toArray(ids)}::text[]) and type <> 'company_data.entered'
    order by created_at, id`,
};
