import { expect, test } from 'vitest';
import { anEntry } from '../contracts/builders.ts';
import { startReceiver } from '../gateway/webhooks/receiver.ts';
import { closedAfterAll } from '../support/closed.ts';
import { createFixtures } from '../support/fixtures.ts';
import { openOwnDatabase } from './database.ts';
import { runCommand } from './harness.ts';

const { composition } = await closedAfterAll(
  openOwnDatabase(() => ({ WEBHOOK_ALLOW_PRIVATE: 'on' })),
);
const fixtures = createFixtures(composition.operatorUseCases, composition.investorUseCases);
const receiver = await closedAfterAll(
  startReceiver((call, response) => response.writeHead(call.path === '/hook' ? 204 : 500).end()),
);

const run = (...commandLine: string[]) => runCommand(['webhook', ...commandLine], { composition });
const json = async (...commandLine: string[]) => (await run(...commandLine, '--json')).json;
const add = (...owner: string[]) => json('add', ...owner, '--url', receiver.url);

test('a webhook endpoint of a company or an investor is added with a secret, listed and removed', async () => {
  const { company, investor } = await fixtures.portfolio();
  const { secret, ...endpoint } = await add('--company', company.id);
  expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
  expect(endpoint).toMatchObject({ company_id: company.id, url: receiver.url, types: [] });
  const types = 'access_request.created,access_request.revoked';
  const ofInvestor = await add('--investor', investor.id, '--types', types);
  expect(ofInvestor).toMatchObject({ investor_id: investor.id, types: types.split(',') });

  expect((await json('list', '--company', company.id)).data).toEqual([endpoint]);
  expect((await json('list')).data).toContainEqual(endpoint);
  expect((await run('list')).stdout).toContain(ofInvestor.id);
  expect((await run('list')).stdout).not.toContain(ofInvestor.secret);
  expect(await json('remove', endpoint.id)).toEqual({ id: endpoint.id, removed: true });
  expect(await run('remove', endpoint.id)).toMatchObject({
    exitCode: 1,
    stderr: 'error: the webhook endpoint doesn’t exist.\n',
  });
});

test('a disabled webhook endpoint can be enabled again', async () => {
  const { company } = await fixtures.portfolio();
  const { secret: _, ...endpoint } = await add('--company', company.id);
  await composition.database.repositories.webhookEndpoints.disable(
    endpoint.id,
    'gone',
    new Date(),
    anEntry(),
  );
  const list = async () => (await json('list', '--company', company.id)).data;
  expect(await list()).toMatchObject([{ disabled_reason: 'gone' }]);
  expect(await json('enable', endpoint.id)).toEqual(endpoint);
  expect(await list()).toEqual([endpoint]);
  expect((await run('enable', endpoint.id)).stdout).toBe(
    `${endpoint.id} gets all events from now on.\n`,
  );
  expect((await run('enable', 'we_none')).exitCode).toBe(1);
});

test('webhook add without --json shows the secret and advises to store it', async () => {
  const { company } = await fixtures.portfolio();
  const { stdout } = await run('add', '--company', company.id, '--url', receiver.url);
  expect(stdout).toMatch(/secret +whsec_/);
  expect(stdout).toContain('Store the secret now');
});

test('a webhook endpoint needs exactly one owner and known event types', async () => {
  const url = ['--url', receiver.url];
  expect(await run('add', ...url)).toMatchObject({ exitCode: 1, stdout: '' });
  const both = ['--company', 'co_1', '--investor', 'inv_1'];
  expect(await run('add', ...both, ...url)).toMatchObject({ exitCode: 2, stdout: '' });
  const unknown = await run('add', '--company', 'co_1', ...url, '--types', 'access_request.lost');
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
});

test('webhook test prints the response of the receiver', async () => {
  const { company } = await fixtures.portfolio();
  const good = await add('--company', company.id);
  expect(await json('test', good.id)).toMatchObject({ delivered: true, status: 204 });
  const bad = await json('add', '--company', company.id, '--url', `${receiver.url}/wrong`);
  expect((await run('test', bad.id)).stdout).toBe('Not delivered: the receiver answered 500.\n');
  const { port } = receiver;
  const away = await json('add', '--company', company.id, '--url', `https://127.0.0.1:${port}/`);
  expect((await run('test', away.id)).stdout).toMatch(/^Not delivered: (tls|connection)_failed/);
});

test('webhook rotate replaces the secret of an endpoint', async () => {
  const { company } = await fixtures.portfolio();
  const { id, secret } = await add('--company', company.id);
  const rotated = await json('rotate', id);
  expect(rotated).toMatchObject({ id, url: receiver.url });
  expect(rotated.secret).not.toBe(secret);
});

test('deliveries are listed, and replay doesn’t send a waiting delivery again', async () => {
  const { company, key } = await fixtures.portfolio();
  const { id } = await add('--company', company.id);
  expect((await run('deliveries', id)).stdout).toBe('Nothing to deliver yet.\n');
  await fixtures.request(key, company.id);
  await composition.serviceUseCases.queueWebhooks();
  const [delivery] = (await json('deliveries', id)).data;
  expect(delivery).toMatchObject({ endpoint_id: id, state: 'pending', attempts: 0 });
  expect((await run('deliveries', id)).stdout).toContain(delivery.event_id);
  expect((await json('deliveries', id, '--state', 'failed')).data).toEqual([]);
  expect(await json('replay', id)).toEqual({ id, replayed: 0 });
  expect(await run('replay', id, '--event', delivery.event_id)).toMatchObject({ exitCode: 1 });
});
