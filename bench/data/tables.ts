import type pg from 'pg';
import { signingKid } from './jws.ts';
import { historyKey, historyPoints, metricDefinitions } from './metrics.ts';

/**
 * For each investor and each company in its portfolio, creates several access requests. All requests before the newest
 * one have ended. The newest requests are approved, except for the mixed investor: its newest requests have all states
 * in turn.
 */
export async function fillRequests(client: pg.Client, pastRequests: number): Promise<void> {
  await client.query(
    `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
        last_event_type, version)
      select 'ar_' || md5(pair.investor_id || pair.company_id || number), pair.investor_id,
        pair.company_id, '{metrics:read,sources:read}', '{}', '{}', '{}', 'declined',
        asked_at, asked_at + interval '1 day', null, asked_at + interval '30 days',
        'access_request.declined', 'ver_1'
      from portfolio_membership as pair
      cross join generate_series(1, $1::int) as number
      cross join lateral (
        select now() - interval '390 days' + number * interval '300 days' / ($1::int + 1)
      ) as time (asked_at)`,
    [pastRequests],
  );
  await client.query(
    `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
        last_event_type, version)
      select 'ar_' || md5(investor_id || company_id || 'newest'), investor_id, company_id, asked,
        case when state in ('approved', 'revoked', 'lapsed') then asked else '{}' end, '{}', '{}',
        case state when 'lapsed' then 'approved' else state end,
        now() - interval '60 days',
        case state when 'pending' then null else now() - interval '59 days' end,
        case when state in ('approved', 'revoked', 'lapsed') then ends end, ends,
        'access_request.' || case state when 'pending' then 'created' when 'lapsed' then 'approved'
          else state end, 'ver_1'
      from (
        select pair.*, ${newestState} as state,
          case when investor_id = 'inv_mixed' and nth % 8 = 7 then '{sources:read}'::text[]
            else '{metrics:read,accounts:read,sources:read}' end as asked
        from (
          select *, row_number() over (partition by investor_id order by company_id) as nth
          from portfolio_membership
        ) as pair
      ) as pair
      cross join lateral (
        select now() + case state when 'lapsed' then interval '-1 hour' else interval '200 days' end
      ) as deadline (ends)
      where state <> 'none'`,
  );
}

/** For the mixed investor, one in eight requests is approved without the scope for metrics. */
const newestState = `case when investor_id <> 'inv_mixed' then 'approved'
  else (array['approved', 'pending', 'declined', 'revoked', 'lapsed', 'none', 'approved', 'approved'])
    [(nth - 1) % 8 + 1] end`;

/**
 * Creates metric values. Each value is a hash of its series and date, so it is the same in every run. The signatures
 * have the right length but are invalid, because no program verifies them.
 *
 * @param short the number of values of a short history
 * @param long the number of companies with a long history
 */
export async function fillPoints(client: pg.Client, short: number, long: number): Promise<void> {
  const currencies = metricDefinitions.map(([key, , , currency]) => [key, currency] as const);
  await client.query(
    `insert into signing_key (kid, public_key, created_at)
      values ('${signingKid}', repeat('x', 43), now())`,
  );
  await client.query(
    `insert into metric_point (series_id, period, currency, raw_value, value, as_of, confidence,
        source_system, source_method, last_synced, verified, signed_at, signing_key, signature)
      select series.id, period, currency, raw, case when currency is null
          then to_char(raw, 'FM999,999,999,990') else to_char(raw, 'FM$999,999,999,990.00') end,
        period + interval '23:59:59', (array['high', 'medium', 'low'])[1 + day % 3],
        (array['mercury', 'quickbooks', 'stripe'])[1 + series.id % 3], 'api',
        period + interval '28 hours', day % 2 = 0, period + interval '28 hours',
        (select number from signing_key where kid = '${signingKid}'), ${signatureOf('raw', 'day')}
      from metric_series as series
      join unnest($1::text[], $2::text[]) as definition (key, currency) using (key)
      join (
        select id as company_id, row_number() over (order by id) <= $3::int as is_long from company
      ) as company using (company_id)
      cross join lateral generate_series(0, (case
        when is_long and series.key = '${historyKey}' then ${historyPoints} else $4::int end) - 1
      ) as day
      cross join lateral (
        select date '2016-01-01' + day,
          abs(hashint8extended(series.id * 100003 + day, 1) % 1000000000)::numeric
      ) as value (period, hash)
      cross join lateral (
        select case when currency is null then hash % 5000 else trim_scale(round(hash / 100, 2)) end
      ) as amount (raw)`,
    [currencies.map(([key]) => key), currencies.map(([, currency]) => currency), long, short],
  );
}

/** Returns SQL for 64 bytes that are computed from two columns. */
export const signatureOf = (one: string, other: string) =>
  `sha256(${one}::text::bytea) || sha256((${one} || '.' || ${other})::bytea)`;
