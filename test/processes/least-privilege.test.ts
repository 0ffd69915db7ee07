import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createMigratedPostgresDatabase, whyNoPostgres, withClient } from '../support/databases.ts';
import { expectOk } from '../support/expectations.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { createRoles } from '../support/roles.ts';

const days = `select relname as name from pg_class
  where relkind = 'r' and relname ~ '^access_record_\\d' order by relname`;
const isUnreachable = (await whyNoPostgres()) !== null;

/**
 * These tests check which role a process uses. The tests in test/db/least-privilege check that each
 * role has enough rights.
 */
describe.skipIf(isUnreachable)('a process with minimal database roles, on PostgreSQL', () => {
  let ownerUrl: string;
  let background: string;
  let service: RunningService;
  let side: OperatorSide;
  let client: HttpClient;
  const releases: (() => Promise<void>)[] = [];

  const asOwner = async (text: string) =>
    (await withClient(ownerUrl, (owner) => owner.query(text))).rows;

  beforeAll(async () => {
    const database = await createMigratedPostgresDatabase();
    ownerUrl = database.url;
    const there = await asOwner(days);
    await asOwner(there.map(({ name }) => `drop table ${name}`).join(';'));
    const roles = await createRoles(ownerUrl);
    background = roles.names.background;
    releases.push(database.drop, roles.drop);
    const environment = { SIGNING_KEY_FILE: inject('signingKeyFile') };
    side = await openOperatorSide({ ...environment, DATABASE_URL: roles.operatorUrl });
    service = await startServiceProcess({
      ...environment,
      DATABASE_URL: roles.serviceUrl,
      MIGRATE_ON_START: 'off',
    });
    client = createHttpClient(service.url);
  });

  afterAll(async () => {
    client?.close();
    const exit = await service?.stop();
    await side?.close();
    for (const release of releases.toReversed()) await release();
    killLeftovers();
    expect(exit).toEqual({ code: 0, signal: null });
    expect(service.output()).not.toMatch(/"level":(40|50|60)/);
  });

  it('is ready, and creates the partitions for the next days', async () => {
    expectOk(await client.call('GET', '/readyz'));
    await expect.poll(async () => (await asOwner(days)).length).toBe(15);
  });

  it('lets the companies of the sandbox decide with the background role', async () => {
    const { id } = await side.operator.createInvestor({ name: 'P', environment: 'test' });
    const { key } = await side.fixtures.key({ id });
    const body = { company_id: 'co_test_approves', scopes: ['metrics:read'] };
    const asked = await client.call('POST', '/v1/access-requests', { key, body });
    expectOk(asked, 201);
    const path = `/v1/access-requests/${asked.body.id}`;
    await expect
      .poll(async () => (await client.call('GET', path, { key })).body.status)
      .toBe('approved');
    expectOk(await client.call('GET', '/v1/companies/co_test_approves/metrics', { key }));
  });

  it('decides for a company with the role that sees only the company’s rows', async () => {
    const { requestId, companyKey: key } = await side.fixtures.asking();
    await asOwner(`revoke update on access_request from ${background}`);
    const decision = `/company/v1/access-requests/${requestId}/approve`;
    const decided = await client.call('POST', decision, { key, body: {} });
    await asOwner(`grant update on access_request to ${background}`);
    expectOk(decided);
  });
});
