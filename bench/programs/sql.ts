import { jwsHeader, publicKeyUrl } from '../data/jws.ts';

/**
 * SQL that finds three facts for each pair of key digest and company ID: the key, the portfolio entry and the newest
 * access request. `offset 0` keeps PostgreSQL from reading the investor's whole portfolio.
 */
export const facts = `
  left join api_key as key on key.digest = question.digest and key.revoked_at is null
    and (key.expires_at is null or key.expires_at > now())
  left join lateral (
    select company_id from portfolio_membership
    where investor_id = key.investor_id and company_id = question.company_id
    offset 0
  ) as membership on true
  left join lateral (
    select id, approved_scopes, case when deadline_at > now() or status = 'revoked' then status end as status
    from access_request
    where investor_id = key.investor_id and company_id = question.company_id
    order by created_at desc, id desc limit 1
  ) as newest on true`;

export const outcome = `case
  when key.id is null then 'invalid_api_key'
  when not key.scopes @> '{metrics:read}' then 'insufficient_scope'
  when membership.company_id is null then 'company_not_found'
  when newest.status = 'pending' then 'access_pending'
  when newest.status = 'revoked' then 'access_revoked'
  when newest.status = 'approved' and newest.approved_scopes @> '{metrics:read}' then 'allowed'
  else 'access_required' end`;

const text = (column: string) => `to_json(${column})`;
const instant = (column: string) =>
  `'"' || to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`;

const base64url = (bytes: string) => `translate(encode(${bytes}, 'base64'), E'+/=\\n', '-_')`;

const payload = `'{"v":1,"environment":"live","company_id":' || ${text('series.company_id')}
  || ',"key":' || ${text('series.key')} || ',"period":"' || point.period || '","raw_value":"' || point.raw_value
  || '","currency":' || coalesce(${text('point.currency')}::text, 'null')
  || ',"as_of":' || ${instant('point.as_of')} || ',"source":{"system":' || ${text('point.source_system')}
  || ',"method":' || ${text('point.source_method')} || ',"last_synced":' || ${instant('point.last_synced')}
  || '},"revision":' || point.revision || ',"signed_at":' || ${instant('point.signed_at')} || '}'`;

const jws = `'${jwsHeader}.' || ${base64url(`convert_to(${payload}, 'UTF8')`)} || '.'
  || ${base64url('point.signature')}`;

/** Builds the REST response as text. In PostgreSQL, concatenation is faster than the JSON functions. */
export const latestMetricsJson = (companyId: string) => `(
  select '{"object":"list","data":[' || coalesce(string_agg(
      '{"company_id":' || ${text('series.company_id')} || ',"key":' || ${text('series.key')}
        || ',"label":' || ${text('series.label')}
        || coalesce(',"currency":' || ${text('point.currency')}, '')
        || ',"period":"' || point.period || '","source":{"system":' || ${text('point.source_system')}
        || ',"method":' || ${text('point.source_method')}
        || ',"last_synced":' || ${instant('point.last_synced')}
        || '},"verification":{"verified":' || point.verified || ',"signed":true,"signature":"' || ${jws}
        || '","public_key_url":"${publicKeyUrl}"},"confidence":'
        || ${text('point.confidence')} || ',"value":' || ${text('point.value')}
        || ',"raw_value":' || point.raw_value || ',"raw_value_text":"' || point.raw_value
        || '","category":' || ${text('series.category')}
        || ',"as_of":' || ${instant('point.as_of')} || '}', ',' order by series.key collate "C"), '')
    || '],"has_more":false,"url":"/v1/companies/' || ${companyId} || '/metrics","next_cursor":null}'
  from metric_series as series
  cross join lateral (
    select * from metric_point where series_id = series.id order by period desc limit 1
  ) as point
  where series.company_id = ${companyId})`;

export const statusOf: Readonly<Record<string, number>> = {
  invalid_api_key: 401,
  insufficient_scope: 403,
  access_required: 403,
  access_pending: 403,
  access_revoked: 403,
  company_not_found: 404,
};
