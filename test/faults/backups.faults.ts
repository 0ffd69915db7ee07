import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { verifyReceipts } from '#verify';
import { createHttpClient, type HttpClient, type Json } from '../support/http-client.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { PostgresCluster } from './support/cluster.ts';
import { asOperator, type Consent, createPair } from './support/consents.ts';
import { canMakeClusters, createServersFolder, migrate } from './support/replicated.ts';

const run = promisify(execFile);

afterAll(killLeftovers);

interface Told {
  readonly events: readonly Json[];
  readonly receipts: readonly Json[];
  readonly head: string;
}

/**
 * A consent is revoked by mistake. Then access is requested and approved again, and the company
 * pushes data. One server is restored to just before the revocation, one to just after.
 */
describe.skipIf(!canMakeClusters)('a database that is restored to an earlier time', () => {
  let folder: string;
  let original: PostgresCluster;
  let pair: Consent;
  let pushKey: string;
  let before: PostgresCluster;
  let after: PostgresCluster;
  /** The time of the revocation, and a later time before the next change. */
  let revokedAt: Date;
  let settledAt: Date;
  /** The events and receipts up to `settledAt`, and at the end of all changes. */
  let untilThen: Told;
  let untilTheEnd: Told;
  let lostVersion: string;
  let jwks: Json;
  const services: RunningService[] = [];
  const clients: HttpClient[] = [];
  let restoredBefore: HttpClient;
  let restoredAfter: HttpClient;
  const requestIds: string[] = [];

  async function serve(database: PostgresCluster): Promise<HttpClient> {
    const service = await startServiceProcess({
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      RATE_LIMIT_POINTS: '1000000',
    });
    services.push(service);
    const client = createHttpClient(service.url);
    clients.push(client);
    return client;
  }

  async function listen({ call }: HttpClient): Promise<Told> {
    const { key } = pair;
    // Events about data are listed only while access is granted, so this leaves them out.
    const types = ['created', 'approved', 'revoked'].map((what) => `access_request.${what}`);
    const events = await call('GET', `/v1/events?types=${types}`, { key });
    const first = `/v1/access-requests/${requestIds[0]}/receipts`;
    const { body } = await call('GET', first, { key });
    return { events: events.body.data, receipts: body.data, head: body.head };
  }

  const change = async ({ call }: HttpClient, id: string, act: string) => {
    const path = `/company/v1/access-requests/${id}/${act}`;
    const { status, body } = await call('POST', path, { key: pair.companyKey, body: {} });
    expect(status).toBe(200);
    return body;
  };

  const ask = async ({ call }: HttpClient) => {
    const body = { company_id: pair.companyId, scopes: ['metrics:read'] };
    const asked = await call('POST', '/v1/access-requests', { key: pair.key, body });
    expect(asked.status).toBe(201);
    requestIds.push(asked.body.id);
    return asked.body.id as string;
  };

  const push = async ({ call }: HttpClient, raw_value: number) => {
    const source = { system: 'Ledger', method: 'api', last_synced: '2026-11-01T04:00:00Z' };
    const metric = { key: 'cash', currency: 'USD', period: '2026-10-31', source, raw_value };
    const body = { records: [{ type: 'metric', ...metric }] };
    const pushed = await call('POST', '/company/v1/data', { key: pushKey, body });
    expect(pushed.status).toBe(200);
    return pushed.body.data_version as string;
  };

  const read = async ({ call }: HttpClient) =>
    (await call('GET', `/v1/companies/${pair.companyId}/metrics`, { key: pair.key })).status;

  const check = (receipts: readonly Json[], head: string) =>
    verifyReceipts(receipts, { jwks, head });

  const idsOf = (told: Told) => [...told.events, ...told.receipts].map(({ id }) => String(id));

  beforeAll(async () => {
    folder = await createServersFolder();
    original = await PostgresCluster.create('original', folder);
    await original.startArchiving();
    await original.start();
    await migrate(original.url);
    const environment = { SIGNING_KEY_FILE: inject('signingKeyFile') };
    await asOperator(
      original.url,
      async (side) => {
        pair = await createPair(side);
        const { secret } = await side.operator.createCompanyKey({
          companyId: pair.companyId,
          scopes: ['data:write'],
        });
        pushKey = secret;
      },
      environment,
    );
    requestIds.push(pair.requestId);
    before = await PostgresCluster.backUp('before', folder, original);
    after = await PostgresCluster.backUp('after', folder, original);

    const client = await serve(original);
    jwks = (await client.call('GET', '/.well-known/jwks.json')).body;
    await change(client, pair.requestId, 'revoke');
    untilThen = await listen(client);
    revokedAt = new Date(untilThen.events.at(-1).created_at);
    settledAt = new Date(Date.now() + 20);
    await wait(40);
    await change(client, await ask(client), 'approve');
    lostVersion = await push(client, 7);
    untilTheEnd = await listen(client);
    await original.archiveAll();
    await services[0]?.stop();
    await before.restore(original.archive, revokedAt);
    await after.restore(original.archive, settledAt);
    restoredBefore = await serve(before);
    restoredAfter = await serve(after);
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    for (const service of services) await service.stop('SIGKILL');
    for (const server of [original, before, after]) await server?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  test('has an archive that accepts the same log file again, but never overwrites it with other content', async () => {
    const { command } = await original.readArchiving();
    const file = join(folder, 'segment');
    const archive = () =>
      run('sh', ['-c', command.replaceAll('%p', file).replaceAll('%f', 'segment')]);
    await writeFile(file, 'one');
    await archive();
    await archive();
    await writeFile(file, 'another');
    await expect(archive()).rejects.toMatchObject({ code: 1 });
    expect(await readFile(join(original.archive, 'segment'), 'utf8')).toBe('one');
    expect((await readdir(original.archive)).filter((name) => name.startsWith('segment.'))).toEqual(
      [],
    );
  });

  test('has the consent if restored to before the revocation, but not if restored to a later time', async () => {
    expect(await read(restoredBefore)).toBe(200);
    expect(await read(restoredAfter)).toBe(403);
  });

  test('returns event_expired if a client resumes after a lost event, and never reuses its ID', async () => {
    const client = restoredBefore;
    const restored = await listen(client);
    expect(restored.events).toEqual(untilThen.events.slice(0, -1));
    const lost = untilTheEnd.events.slice(restored.events.length);
    expect(lost.map(({ type }) => type)).toEqual([
      'access_request.revoked',
      'access_request.created',
      'access_request.approved',
    ]);
    const goOn = (id: string, accept = 'application/json') =>
      client.call('GET', `/v1/events?after=${id}`, { key: pair.key, headers: { accept } });
    for (const { id } of lost) {
      for (const accept of ['application/json', 'text/event-stream']) {
        expect(await goOn(id, accept)).toMatchObject({
          status: 410,
          body: { error: { code: 'event_expired' } },
        });
      }
    }
    await change(client, pair.requestId, 'revoke');
    const { body } = await goOn(restored.events.at(-1).id);
    expect(body.data.map(({ type }: Json) => type)).toEqual(['access_request.revoked']);
    const there = new Set(idsOf(await listen(client)));
    expect(idsOf(untilTheEnd).filter((id) => there.has(id))).toEqual(idsOf(restored));
  });

  test('has a valid chain of receipts, but a client with a lost receipt or an earlier head can prove the loss', async () => {
    const restored = await listen(restoredBefore);
    expect(await check(restored.receipts, restored.head)).toMatchObject({ valid: true });
    expect(await check(restored.receipts, untilTheEnd.head)).toMatchObject({
      valid: false,
      reason: 'head_differs',
    });
    const lost = untilTheEnd.receipts.at(-1);
    expect(restored.receipts.map(({ id }) => id)).not.toContain(lost.id);
    expect(await check([...restored.receipts, lost], restored.head)).toMatchObject({
      valid: false,
      reason: 'chain_broken',
    });
  });

  test('never reuses the version number of lost data', async () => {
    const version = await push(restoredBefore, 8);
    expect(BigInt(version)).toBeGreaterThan(BigInt(lostVersion));
  });

  test('continues its events and receipts without a gap if no event was lost', async () => {
    const client = restoredAfter;
    const { events, receipts, head } = await listen(client);
    expect({ events, receipts }).toEqual({
      events: untilThen.events,
      receipts: untilThen.receipts,
    });
    for (const known of [head, untilThen.head])
      expect(await check(receipts, known)).toMatchObject({ valid: true });
    const { id } = untilThen.events.at(-1);
    await ask(client);
    const { body } = await client.call('GET', `/v1/events?after=${id}`, { key: pair.key });
    expect(body.data.map(({ type }: Json) => type)).toEqual(['access_request.created']);
  });
});
