import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '#db';
import { deskCookie, visit } from '../desk/desk.ts';
import { type Receiver, startReceiver } from '../gateway/webhooks/receiver.ts';
import { createMigratedPostgresDatabase, whyNoPostgres, withClient } from '../support/databases.ts';
import { expectOk } from '../support/expectations.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { findFreePort } from '../support/redis.ts';
import { createRoles } from '../support/roles.ts';
import { type SmtpReceiver, startSmtpServer } from '../support/smtp.ts';

const days = `select relname as name from pg_class
  where relkind = 'r' and relname ~ '^access_record_\\d' order by relname`;
const isUnreachable = (await whyNoPostgres()) !== null;

/** Tests the background work of a process, and calls that the parity tests don't cover. */
describe.skipIf(isUnreachable)('a process under the serving role, on PostgreSQL', () => {
  let ownerUrl: string;
  let background: string;
  let service: RunningService;
  let side: OperatorSide;
  let smtp: SmtpReceiver;
  let receiver: Receiver;
  let client: HttpClient;
  const releases: (() => Promise<void>)[] = [];
  const ended: string[] = [];

  const asOwner = async (text: string) => {
    const { rows } = await withClient(ownerUrl, (owner) => owner.query(text));
    return rows;
  };
  beforeAll(async () => {
    const database = await createMigratedPostgresDatabase();
    ownerUrl = database.url;
    const owner = await openDatabase({ databaseUrl: ownerUrl, dataDir: '', role: 'command' });
    // The test adds a record of the day before yesterday.
    await owner.createPartitionsAhead(new Date(Date.now() - 2 * 86_400_000));
    await owner.close();
    await asOwner(
      (await asOwner(days))
        .slice(1)
        .map(({ name }) => `drop table ${name}`)
        .join(';'),
    );
    const roles = await createRoles(ownerUrl);
    background = roles.names.background;
    releases.push(database.drop, roles.drop);
    smtp = await startSmtpServer();
    receiver = await startReceiver();
    const PORT = String(await findFreePort());
    const environment = {
      PUBLIC_URL: `http://127.0.0.1:${PORT}`,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      WEBHOOK_ALLOW_PRIVATE: 'on',
    };
    side = await openOperatorSide({ ...environment, DATABASE_URL: roles.operatorUrl });
    // A grant that has ended before the service starts.
    const past = await side.fixtures.portfolio();
    ended.push((await side.fixtures.grant(past, ['metrics:read'])).id);
    await asOwner(`update access_request set expires_at = now(), deadline_at = now();
      insert into access_record (id, occurred_at, request_id, protocol, key_id,
        investor_id, company_id, scope, resource, outcome, count)
      values ('rec_1', now() - interval '2 days', 'req_1', 'rest', 'key_1', '${past.investor.id}',
        '${past.company.id}', 'metrics:read', 'metrics', 'access_required', 3)`);
    service = await startServiceProcess({
      ...environment,
      PORT,
      DATABASE_URL: roles.serviceUrl,
      MIGRATE_ON_START: 'off',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'access@access.example',
    });
    client = createHttpClient(service.url);
  });

  afterAll(async () => {
    client.close();
    const exit = await service?.stop();
    await side?.close();
    await smtp?.close();
    await receiver?.close();
    for (const release of releases.toReversed()) await release();
    killLeftovers();
    expect(exit).toEqual({ code: 0, signal: null });
    // The ends were written by hand, so the consistency check reports their requests.
    const isOfWatch = /^.*does not agree with its events.*$/gm;
    expect(service.output().replaceAll(isOfWatch, '')).not.toMatch(/"level":(40|50|60)/);
  });

  it('is ready and creates the partitions of the next days', async () => {
    expectOk(await client.call('GET', '/readyz'));
    await expect.poll(async () => (await asOwner(days)).length).toBe(16);
  });

  it('stores the expiry of grants and counts the access records', async () => {
    const statusOf = async () =>
      (await side.operator.showAccessRequest({ id: ended[0] ?? '' })).accessRequest.status;
    await expect.poll(statusOf).toBe('expired');
    const counted = () => asOwner('select refused::int from access_day_count');
    await expect.poll(counted).toEqual([{ refused: 3 }]);
  });

  it('lets the companies of the sandbox decide', async () => {
    const { id: investorId } = await side.operator.createInvestor({
      name: 'P',
      environment: 'test',
    });
    const { key } = await side.fixtures.key({ id: investorId });
    const body = { company_id: 'co_test_approves', scopes: ['metrics:read'] };
    const asked = await client.call('POST', '/v1/access-requests', { key, body });
    expectOk(asked, 201);
    const path = `/v1/access-requests/${asked.body.id}`;
    await expect
      .poll(async () => (await client.call('GET', path, { key })).body.status)
      .toBe('approved');
    expectOk(await client.call('GET', '/v1/companies/co_test_approves/metrics', { key }));
  });

  it('delivers webhooks to endpoints that a company manages', async () => {
    const { requestId, companyKey: key } = await side.fixtures.asking();
    const endpoints = '/company/v1/webhook-endpoints';
    const added = await client.call('POST', endpoints, { key, body: { url: receiver.url } });
    expectOk(added, 201);
    const path = `${endpoints}/${added.body.id}`;
    expectOk(await client.call('POST', `${path}/test`, { key }));
    expectOk(await client.call('POST', `${path}/rotate-secret`, { key }));
    const decision = `/company/v1/access-requests/${requestId}/approve`;
    expectOk(await client.call('POST', decision, { key, body: {} }));
    const told = () =>
      receiver.calls.filter(({ body }) => body.includes('.approved') && body.includes(requestId))
        .length;
    await expect.poll(told).toBe(1);
    const deliveries = () => client.call('GET', `${path}/deliveries`, { key });
    await expect.poll(async () => (await deliveries()).body.data[0]?.state).toBe('delivered');
    expectOk(await client.call('DELETE', path, { key }), 204);
  });

  it('decides for a company with the role that only sees its rows, not with the background role', async () => {
    const { requestId, companyKey: key } = await side.fixtures.asking();
    await asOwner(`revoke update on access_request from ${background}`);
    const decision = `/company/v1/access-requests/${requestId}/approve`;
    const decided = await client.call('POST', decision, { key, body: {} });
    await asOwner(`grant update on access_request to ${background}`);
    expectOk(decided);
  });

  it('mails a contact a link, with which the contact signs in and decides at the desk', async () => {
    const { investor, company } = await side.fixtures.portfolio();
    const email = `${company.id.toLowerCase().replaceAll('_', '-')}@example.com`;
    await side.operator.addContact({ companyId: company.id, email });
    const { key } = await side.fixtures.key(investor);
    const { id } = await side.fixtures.request(key, company.id);
    const mailed = (text: string) => () =>
      smtp.received.filter(({ to, source }) => to.includes(email) && source.includes(text)).length;
    await expect.poll(mailed('/desk/requests/')).toBe(1);

    const browser = visit(service, email, '');
    expect((await browser.post('/desk/sign-in', { email })).status).toBe(200);
    await expect.poll(mailed('/desk/sign-in/confirm')).toBe(1);
    const { source = '' } =
      smtp.received.find((mail) => mail.source.includes('/desk/sign-in/confirm')) ?? {};
    const [, token = ''] =
      /confirm\?token=(\w+)/.exec(source.replaceAll('=\r\n', '').replaceAll('=3D', '=')) ?? [];
    const { headers } = await browser.post('/desk/sign-in/confirm', { token });
    const [, session = ''] =
      new RegExp(`${deskCookie}=(svc_ds_\\w+)`).exec(headers.getSetCookie().join()) ?? [];

    const contact = visit(service, email, session);
    const page = await contact.get(`/desk/requests/${id}`);
    const decline = page.forms.find(({ fields }) => fields.decision?.[0] === 'decline');
    const review = await contact.submit(decline as NonNullable<typeof decline>);
    const confirm = review.forms.find(({ action }) => action.endsWith('/decide'));
    const decided = await contact.submit(confirm as NonNullable<typeof confirm>);
    expect(decided.location).toBe(`/desk/requests/${id}?done=decline`);
    for (const path of ['/desk/activity', '/desk/grants', '/desk/settings/keys']) {
      expect((await contact.get(path)).status, path).toBe(200);
    }
    expect((await side.operator.showAccessRequest({ id })).accessRequest.status).toBe('declined');
  });
});
