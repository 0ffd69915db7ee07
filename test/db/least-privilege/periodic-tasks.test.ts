import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantableScopes } from '#core';
import { startMailService } from '../../../gateway/mail/mail-service.ts';
import {
  startRecordCounting,
  startSandbox,
  startSweeper,
} from '../../../gateway/periodic-tasks.ts';
import { startWebhooks } from '../../../gateway/webhooks/worker.ts';
import { aCall } from '../../support/call.ts';
import { describeOnPostgres, withClient } from '../../support/databases.ts';
import { requestAsJson } from '../../support/request-as-json.ts';
import { createRoles, type Roles } from '../../support/roles.ts';
import { openSides, type Sides } from './world.ts';

/** More rows than a task handles in one run. */
const many = 2_600;
/** Some owners are suspended, have no portfolio entry or have ended keys. */
const owners = 260;

const each = `generate_series(1, ${owners}) as n`;

const rows = [
  ...['company', 'investor'].map(
    (table, index) => `
      insert into ${table} (id, name, environment, created_at, suspended_at)
        select '${table}_' || n, 'A', 'live', now(), case when n % ${3 + index} = 0 then now() end
        from ${each}`,
  ),
  `insert into portfolio_membership (investor_id, company_id, environment, added_at)
    select 'investor_' || n, 'company_' || n, 'live', now() from ${each}`,
  `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
      previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, expiring_at,
      deadline_at, last_event_type)
    select 'ar_' || n, 'investor_' || n, 'company_' || n, '{metrics:read}', '{metrics:read}', '{}',
      '{}', 'approved', now() - interval '9 days', now() - interval '9 days', ends,
      case when n % 2 = 0 then now() - interval '1 hour' end, ends, 'access_request.approved'
    from ${each}, lateral (
      select now() + interval '1 day' * case when n % 2 = 0 then 1 else -1 end as ends) as deadline`,
  `with event as (
      insert into access_event (id, type, created_at, access_request_id, access_request, investor_id,
          company_id, actor_type)
        select 'evt_' || id, last_event_type, created_at, id, ${requestAsJson}, investor_id,
          company_id, 'operator'
        from access_request
        returning *)
    insert into consent_receipt (id, event_id, access_request_id, environment, company_id,
        company_name, investor_name, issued_at)
      select 'rcpt_' || id, id, access_request_id, 'live', company_id, 'A', 'A', created_at from event`,
  `update portfolio_membership set removed_at = now() where investor_id like '%7'`,
  `insert into contact (id, company_id, email, role, created_at)
    select 'ct_' || n, 'company_' || n, n || '@example.com', 'admin', now() from ${each}`,
  `insert into api_key (id, investor_id, environment, digest, hint, created_at, scopes, revoked_at)
    select 'key_' || n, 'investor_' || n, 'live', sha256(n::text::bytea), '', now(),
      '{metrics:read}', case when n % 2 = 0 then now() end
    from ${each}`,
  ...['company', 'investor'].map(
    (table) => `
      insert into webhook_endpoint (id, ${table}_id, url, types, secret, created_at, removed_at)
        select 'whe_${table}_' || n, '${table}_' || n, 'https://hooks.example.com', '{}',
          'whsec_' || repeat('a', 32), now(), case when n % 2 = 0 then now() end
        from ${each}`,
  ),
  // Data events beyond the retention time, and their deliveries.
  `insert into access_event (id, type, created_at, company_id, data, scopes)
    select 'evt_old' || n, 'company_data.updated', now() - interval '200 days',
      'company_' || n % ${owners} + 1,
      '{"metricKeys": [], "hasSources": false, "hasAccounts": false, "dataVersion": "1"}',
      '{metrics:read}'
    from generate_series(1, ${many}) as n`,
  'select number_access_events()',
  'update event_consumer set position = (select last_position from access_event_feed)',
  `insert into webhook_delivery (endpoint_id, event_id, event_type, state, attempts,
      next_attempt_at, created_at, company_id)
    select endpoint.id, 'evt_old' || n, 'company_data.updated', state, 1,
      case when state = 'pending' then now() + interval '1 year' end, now() - interval '200 days',
      'company_1'
    from webhook_endpoint as endpoint, generate_series(1, 10) as n, lateral (
      select case when removed_at is not null and n % 2 = 0 then 'pending' else 'failed' end
        as state) as of_endpoint`,
  `insert into mail (id, email, kind, state, attempts, created_at, sent_at, company_id,
      settings_change_id)
    select 'mail_old' || n, 'gone@example.com', 'settings_changed', 'sent', 1,
      now() - interval '200 days', now(), 'company_' || n % ${owners} + 1, 'chg_' || n
    from generate_series(1, ${many}) as n`,
  `insert into idempotency_key (investor_id, key, claim_id, fingerprint, claimed_at, leased_until,
      expires_at)
    select 'investor_' || n % ${owners} + 1, 'k' || n, '', '', now(), now(), now()
    from generate_series(1, ${many}) as n`,
  `insert into idempotent_push
    select 'company_' || n % ${owners} + 1, 'k' || n, '', now(), now(), 1, 0, 0, 1
    from generate_series(1, ${many}) as n`,
  `insert into sign_in_link (id, email, company_id, state, attempts, created_at)
    select 'link_' || n, 'gone@example.com', 'company_' || n % ${owners} + 1, 'failed', 1,
      now() - interval '9 days'
    from generate_series(1, ${many}) as n`,
  `insert into desk_session (id, digest, email, signed_in_by, created_at, last_seen_at, expires_at)
    select 'ses_' || n, sha256(n::text::bytea), 'gone@example.com', 'link', now(), now(), now()
    from generate_series(1, ${many}) as n`,
  `insert into desk_form select id, 'form' from desk_session`,
  `insert into source (company_id, provider, account_name, status, last_synced_at, expected_every,
      stale_at)
    select 'company_' || n, 'Ledger', 'Main', 'connected', now() - interval '9 days', 'P1D',
      now() - interval '8 days'
    from ${each}`,
  'insert into company_data_version select id, 1 from company',
  `insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id, company_id,
      scope, resource, outcome, grant_id)
    select 'rec_' || n, now() - interval '2 days', '', 'rest', 'key_' || n, 'investor_' || n,
      'company_' || n, 'metrics:read', 'metrics', 'allowed', 'ar_' || n
    from ${each}`,
];

/** Queries that count the remaining work of each task, which must be none in the end. */
const left = {
  deliveries: `select from webhook_delivery where created_at < now() - interval '100 days'`,
  endpoints: 'select from webhook_endpoint where removed_at is not null',
  mails: `select from mail where created_at < now() - interval '100 days'`,
  events: `select from access_event where created_at < now() - interval '100 days'`,
  'idempotency keys': 'select from idempotency_key where expires_at < now()',
  'kept pushes': 'select from idempotent_push where expires_at < now()',
  links: `select from sign_in_link where created_at < now() - interval '2 days'`,
  sessions: 'select from desk_session where expires_at < now()',
  forms: 'select from desk_form',
  'stale sources': 'select from source where not is_stale_reported and stale_at < now()',
  'grants that ended': `select from access_request where status = 'approved' and deadline_at < now()`,
  'grants that end soon': 'select from access_request where expiring_at is not null',
  records: `select from access_record where not exists (
    select from access_day where day = (occurred_at at time zone 'UTC')::date)`,
  numbers: 'select from access_event where position is null',
} as const;

await describeOnPostgres('each periodic task in the roles of roles.sql', (createDatabase) => {
  let url: string;
  let roles: Roles;
  let sides: Sides;
  const logged: unknown[] = [];
  const log = ({ err }: { err: unknown }) => logged.push(err);
  const logger = { error: log, warn: log, debug: () => undefined };

  const asOwner = (text: string) => withClient(url, (client) => client.query(text));

  const count = async (query: string) => {
    const { rows: found } = await asOwner(`select count(*)::int as count from (${query}) as rows`);
    return found[0]?.count as number;
  };
  async function todo() {
    const counts: Record<string, number> = {};
    for (const [name, query] of Object.entries(left)) counts[name] = await count(query);
    return counts;
  }
  const none = Object.fromEntries(Object.keys(left).map((name) => [name, 0]));

  beforeAll(async () => {
    url = (await createDatabase()).url;
    roles = await createRoles(url);
    sides = await openSides({ service: roles.serviceUrl, operator: roles.operatorUrl, owner: url });
    await withClient(url, async (owner) => {
      for (const statement of rows) await owner.query(statement);
    });
  });
  afterAll(async () => {
    await sides?.close();
    await roles?.drop();
  });

  test('completes its work for removed owners and for more rows than one run handles', async () => {
    const before = await todo();
    for (const name of ['deliveries', 'mails', 'events', 'kept pushes'] as const)
      expect(before[name], name).toBeGreaterThan(2_000);
    for (const name of ['endpoints', 'stale sources', 'grants that ended'] as const)
      expect(before[name], name).toBeGreaterThan(100);
    const { background } = sides;
    const webhooks = startWebhooks({
      useCases: background,
      logger: logger as never,
      metrics: null,
    });
    const mails = startMailService({
      useCases: background,
      mailer: null,
      links: { docs: null, desk: null },
      logger: logger as never,
    });
    const counting = startRecordCounting(background, logger as never);
    await expect.poll(() => count(left.deliveries)).toBe(0);
    await expect.poll(() => count(left.endpoints)).toBe(0);
    // Old events can be deleted only after their deliveries.
    const sweeper = startSweeper(background, logger as never);
    const stopped = async () => {
      counting.run();
      webhooks.wake();
      expect(logged).toEqual([]);
      return todo();
    };
    await expect.poll(stopped).toEqual(none);
    await Promise.all([webhooks.stop(), mails.stop(), counting.stop(), sweeper.stop()]);
    expect(await count('select from access_day_count')).toBe(owners);
    // The feed has an event for each grant that has ended or ends soon, and for each stale source.
    const events = await count('select from access_event where position is not null');
    expect(events).toBe(3 * owners);
    expect([sides.refused, logged]).toEqual([[], []]);
  });

  test('sends queued webhooks and mails, even if their owners were removed in the meantime', async () => {
    const { background } = sides;
    const never = new AbortController().signal;
    while ((await background.queueWebhooks()) > 0);
    await asOwner(`update webhook_endpoint set removed_at = now(), due_at = null
      where id like 'whe_company_%1'`);
    await asOwner(`update investor set suspended_at = now() where id like '%9'`);
    let claims = await background.claimWebhookEndpoints(50);
    while (claims.length > 0) {
      for (const claim of claims) {
        const turn = { stopSignal: never, abortSignal: never, onOutcome: () => undefined };
        await background.deliverWebhooks(claim, turn);
      }
      claims = await background.claimWebhookEndpoints(50);
    }
    expect(sides.webhooks.sent.length).toBeGreaterThan(100);
    while ((await background.queueMails()) > 0);
    const claimed = await background.claimMails(500);
    expect(claimed.length).toBeGreaterThan(100);
    await asOwner(`delete from contact where id like 'ct_%3'`);
    for (const mail of claimed.slice(0, 20)) await background.confirmMail(mail);
    for (const mail of claimed.slice(20, 40)) await background.postponeMail(mail, 'refused');
    await background.readBacklogs();
    await background.countUnhealthySources();
    expect(sides.refused).toEqual([]);
  });

  test('stores the last use of a key, even if the key was revoked in the meantime', async () => {
    const { background, operator, investors, fixtures } = sides;
    const made = await fixtures.readablePortfolio();
    const admission = await investors.admitCaller(made.key, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    await investors.readSources(admission.caller, { companyId: made.company.id });
    await operator.revokeApiKey({ id: made.keyId });
    await background.storeKeyUses();
    const [key] = await operator.listApiKeys({ investorId: made.investor.id });
    expect(key?.lastUsedAt).toBeInstanceOf(Date);
    expect(sides.refused).toEqual([]);
  });

  test('answers more access requests to sandbox companies than one run handles', async () => {
    const { background, operator, fixtures } = sides;
    for (let number = 0; number < 12; number += 1) {
      const of = { name: `Sandbox ${number}`, environment: 'test', sandbox: true } as const;
      const { id } = await operator.createInvestor(of);
      const { key } = await fixtures.key({ id });
      const { memberships } = await operator.listPortfolios({ investorId: id, limit: 10 });
      for (const { company } of memberships)
        await fixtures.request(key, company.id, grantableScopes);
    }
    const waiting = () => count(`select from access_request where status = 'pending'`);
    const before = await waiting();
    expect(before).toBeGreaterThan(50);
    const sandbox = startSandbox(background, logger as never);
    // One sandbox company never answers.
    await expect.poll(waiting).toBeLessThan(before / 3);
    await sandbox.stop();
    expect([sides.refused, logged]).toEqual([[], []]);
  });

  test('checks consents, even if their owners were removed', async () => {
    for (const isFull of [false, true]) await sides.background.watchConsents({ isFull, known: [] });
    expect(sides.refused).toEqual([]);
  });

  test('creates the partitions for the next days', async () => {
    const partitions = `select relname::text as name from pg_class
      where relname ~ '^access_record_\\d' and relkind = 'r'`;
    const { rows: last } = await asOwner(`${partitions} order by 1 desc limit 1`);
    await asOwner(`drop table ${last[0]?.name}`);
    await sides.service.createPartitionsAhead(new Date());
    const { rows: made } = await asOwner(partitions);
    expect(made).toContainEqual(last[0]);
  });
});
