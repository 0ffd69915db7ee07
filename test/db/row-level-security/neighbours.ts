import { withClient } from '../../support/databases.ts';
import { seedDemoInto } from '../demo.ts';

/** Two companies and two investors of the demo, with rows in every table whose rows have an owner. */
export interface Neighbours {
  readonly companies: readonly [own: string, other: string];
  readonly investors: readonly [own: string, other: string];
}

const asking = (investorId: string, isAsked: string) => [
  `insert into investor values ('${investorId}', 'An investor', 'test', now())`,
  `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
      previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
      last_event_type)
    select 'ar_${investorId}_' || id, '${investorId}', id, '{metrics:read}', '{metrics:read}', '{}',
      '{}', 'approved', now(), now(), now() + interval '9 days', now() + interval '9 days',
      'access_request.approved'
    from company where environment = 'test' and ${isAsked}`,
];

/** Fills the tables that the demo leaves empty. */
const more = [
  ...asking('inv_of_all', 'true'),
  `insert into portfolio_membership (investor_id, company_id, environment, added_at)
    select investor.id, company.id, company.environment, now() from investor, company
    where investor.environment = company.environment on conflict do nothing`,
  `insert into contact (id, company_id, email, role, created_at)
    select 'ct_' || id, id, id || '@example.com', 'admin', now() from company on conflict do nothing`,
  `insert into contact (id, investor_id, email, role, created_at)
    select 'ct_' || id, id, id || '@example.com', 'admin', now() from investor on conflict do nothing`,
  `insert into mail (id, contact_id, email, kind, state, attempts, created_at, sent_at, company_id,
      investor_id, settings_change_id)
    select 'mail_' || id, id, '', 'contact_invited', 'sent', 1, now(), now(), company_id,
      investor_id, 'chg_' || id
    from contact`,
  `insert into api_key (id, investor_id, environment, digest, hint, created_at, scopes)
    select 'key_' || id, id, environment, sha256(id::bytea), '', now(), '{metrics:read}'
    from investor
    on conflict do nothing`,
  `insert into company_key (id, company_id, environment, digest, hint, created_at, scopes)
    select 'ckey_' || id, id, environment, sha256(id::bytea), '', now(), '{consents:manage}'
    from company
    on conflict do nothing`,
  `insert into approval_rule select id, 1 from company`,
  `insert into webhook_endpoint (id, company_id, url, types, secret, created_at)
    select 'whe_' || id, id, 'https://example.com', '{}', 'secret', now() from company`,
  `insert into webhook_endpoint (id, investor_id, url, types, secret, created_at)
    select 'whe_' || id, id, 'https://example.com', '{}', 'secret', now() from investor`,
  `insert into settings_change
    select 'chg_' || id, 'webhook_endpoint.created', now(), company_id, investor_id,
      '{"type": "contact"}', '{"type": "webhook_endpoint", "id": "", "name": ""}', '{}'
    from webhook_endpoint`,
  `insert into webhook_delivery (endpoint_id, event_id, event_type, state, attempts, created_at,
      company_id)
    select endpoint.id, event.id, event.type, 'delivered', 1, now(), company_id
    from access_event as event join webhook_endpoint as endpoint using (company_id)
    on conflict do nothing`,
  `insert into mail (id, event_id, contact_id, email, kind, state, attempts, created_at, sent_at,
      company_id)
    select 'mail_' || event.id || contact.id, event.id, contact.id, '', 'request_received', 'sent',
      1, now(), now(), company_id
    from access_event as event join contact using (company_id)
    on conflict do nothing`,
  `insert into source (company_id, provider, account_name, status, last_synced_at)
    select id, 'ledger', 'Books', 'failed', now() from company`,
  `insert into upstream_signer select id, 'kid', '{}', now() from company`,
  `update metric_point set raw_value = raw_value + 1, revision = revision + 1, signed_at = null,
    signature = null, signing_key = null`,
  `insert into access_day_count
    select company_id, current_date - 1, investor_id, 'metrics:read', null, id, 3, 1
    from access_request`,
  `insert into idempotency_key (investor_id, key, claim_id, fingerprint, claimed_at, leased_until, expires_at)
    select id, 'key', 'claim', '', now(), now(), now() from investor`,
  `insert into idempotent_push
    select id, 'key', '', now(), now(), 1, 0, 0, 1 from company`,
  `insert into access_grant_use select id, current_date - 1, company_id, 3, now() from access_request`,
];

/**
 * @param url the URL of a migrated database that only this caller uses
 * @param superuserUrl the URL of the same database for a superuser, if `url` isn't one
 */
export async function fillForNeighbours(url: string, superuserUrl = url): Promise<Neighbours> {
  const { investorId } = await seedDemoInto(url);
  return withClient(superuserUrl, async (client) => {
    for (const statement of more) await client.query(statement);
    const ids = async (statement: string) =>
      (await client.query(statement)).rows.map(({ id }) => String(id));
    const companies = await ids(`
      select company_id as id from access_event
      where exists (select from account where account.company_id = access_event.company_id)
      group by 1 order by count(distinct investor_id) desc, 1`);
    const [own = '', other = ''] = companies;
    for (const statement of asking('inv_of_other', `id = '${other}'`))
      await client.query(statement);
    const [another = ''] = await ids(`
      select investor_id as id from access_event where investor_id <> '${investorId}' limit 1`);
    return { companies: [own, other], investors: [investorId, another] };
  });
}
