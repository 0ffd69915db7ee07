import { expect, it } from 'vitest';
import { startReceiver } from '../gateway/webhooks/receiver.ts';
import { closedAfterAll } from '../support/closed.ts';
import type { Json } from '../support/http-client.ts';
import { refusedAs, serveTrpc } from './support.ts';

const { service, client } = await serveTrpc({
  environment: { WEBHOOK_ALLOW_PRIVATE: 'on' },
});
const receiver = await closedAfterAll(startReceiver());

const data = async (key: string, name: string, input?: unknown): Promise<Json> => {
  const { body } = await client.ask(key, name, input);
  expect(body.error, name).toBeUndefined();
  return body.result.data;
};

it('a key can be read and rotated, with the same values as in REST', async () => {
  const { get, fixtures } = service;
  const { key, investor } = await fixtures.portfolio({ scopes: ['metrics:read'], rateLimit: 70 });
  const { investor: owner, ...shown } = (await get('/v1/api-key', key)).body;
  expect(await data(key, 'apiKey.get')).toEqual({
    id: shown.id,
    name: null,
    hint: shown.hint,
    environment: 'live',
    scopes: ['metrics:read'],
    rateLimit: 70,
    createdAt: shown.created_at,
    expiresAt: null,
    lastUsedAt: null,
    investor: owner,
  });
  expect(owner).toEqual({ id: investor.id, name: investor.name });
  const { secret, ...rotated } = await data(key, 'apiKey.rotate', { overlapSeconds: 60 });
  expect(await data(secret, 'apiKey.get')).toEqual(rotated);
  expect((await data(key, 'apiKey.get')).expiresAt).not.toBeNull();
  expect(refusedAs(await client.ask(key, 'apiKey.rotate'))).toEqual([409, 'api_key_conflict']);
  for (const overlapSeconds of [-1, 604_801, 0.5, '60']) {
    const answer = await client.ask(secret, 'apiKey.rotate', { overlapSeconds });
    expect(refusedAs(answer)).toEqual([400, 'invalid_parameter']);
  }
});

it('access records can be listed page by page, with the names of companies', async () => {
  const { get, fixtures } = service;
  const { key, company } = await fixtures.readablePortfolio();
  for (let count = 0; count < 3; count += 1) await get(`/v1/companies/${company.id}/metrics`, key);
  const rest = (await get('/v1/access-records', key)).body.data;
  const first = await data(key, 'accessRecords.list', { limit: 2 });
  const second = await data(key, 'accessRecords.list', { limit: 2, cursor: first.nextCursor });
  expect(second.nextCursor).toBeNull();
  expect([...first.items, ...second.items].map(({ id }: Json) => id)).toEqual(
    rest.map(({ id }: Json) => id),
  );
  expect(first.items[0]).toEqual({
    id: rest[0].id,
    occurredAt: rest[0].occurred_at,
    requestId: rest[0].request_id,
    protocol: 'rest',
    company: { id: company.id, name: company.name },
    keyHint: rest[0].key_hint,
    contact: null,
    scope: 'metrics:read',
    resource: 'metrics',
    metricKey: null,
    grantId: rest[0].grant_id,
    outcome: 'allowed',
  });
});

it('webhook endpoints can be managed as in REST, by a key with the scope', async () => {
  const { get, fixtures } = service;
  const { key, investor } = await fixtures.portfolio();
  const { secret, ...endpoint } = await data(key, 'webhookEndpoints.create', {
    url: receiver.url,
    types: ['access_request.approved'],
  });
  const { id } = endpoint;
  expect(secret).toMatch(/^whsec_/);
  expect(endpoint).toEqual({
    id,
    url: receiver.url,
    types: ['access_request.approved'],
    createdAt: endpoint.createdAt,
    disabledAt: null,
    droppedDataEvents: 0,
    disabledReason: null,
  });
  expect((await get(`/v1/webhook-endpoints/${id}`, key)).body).toMatchObject({
    id,
    investor_id: investor.id,
    created_at: endpoint.createdAt,
  });
  expect(await data(key, 'webhookEndpoints.list')).toEqual({ items: [endpoint], nextCursor: null });
  expect(await data(key, 'webhookEndpoints.get', { id })).toEqual(endpoint);
  expect(await data(key, 'webhookEndpoints.enable', { id })).toEqual(endpoint);
  const rotated = await data(key, 'webhookEndpoints.rotateSecret', { id });
  expect(rotated).toEqual({ ...endpoint, secret: rotated.secret });
  expect(rotated.secret).not.toBe(secret);
  expect(await data(key, 'webhookEndpoints.test', { id })).toEqual({
    delivered: true,
    status: 204,
    failure: null,
  });
  const ofEndpoint = { id, state: 'failed' };
  expect(await data(key, 'webhookEndpoints.deliveries', ofEndpoint)).toEqual({
    items: [],
    nextCursor: null,
  });
  const stranger = (await fixtures.portfolio()).key;
  const narrow = await fixtures.key(investor, { scopes: ['metrics:read'] });
  for (const name of ['get', 'enable', 'rotateSecret', 'test', 'deliveries', 'remove']) {
    const ask = (by: string) => client.ask(by, `webhookEndpoints.${name}`, { id });
    expect(refusedAs(await ask(stranger)), name).toEqual([404, 'webhook_endpoint_not_found']);
    expect(refusedAs(await ask(narrow.key)), name).toEqual([403, 'insufficient_scope']);
  }
  expect(await data(key, 'webhookEndpoints.remove', { id })).toEqual({ id });
  expect(await data(key, 'webhookEndpoints.list', {})).toEqual({ items: [], nextCursor: null });
});
