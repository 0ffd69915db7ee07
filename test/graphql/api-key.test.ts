import { expect, it } from 'vitest';
import { serveGraphql } from './support.ts';

const { service, client } = await serveGraphql();

it('the field apiKey returns the key of the caller, with the same values as REST', async () => {
  const expiresAt = new Date(Date.now() + 86_400_000);
  const scopes = ['webhooks:manage'] as const;
  const { key } = await service.fixtures.portfolio({ scopes, expiresAt, rateLimit: 70 });
  const { body } = await client.ask(
    key,
    '{ apiKey { id name hint environment scopes rateLimit createdAt expiresAt lastUsedAt investor { id name } } }',
  );
  const shown = (await service.get('/v1/api-key', key)).body;
  expect(body.data.apiKey).toEqual({
    id: shown.id,
    name: null,
    hint: shown.hint,
    environment: 'LIVE',
    scopes: ['WEBHOOKS_MANAGE'],
    rateLimit: 70,
    createdAt: shown.created_at,
    expiresAt: expiresAt.toISOString(),
    lastUsedAt: null,
    investor: shown.investor,
  });
});

it('access records can be limited to those up to a time', async () => {
  const { key, company } = await service.fixtures.readablePortfolio();
  await service.get(`/v1/companies/${company.id}/metrics`, key);
  const query =
    'query ($until: DateTime) { accessRecords(until: $until) { nodes { occurredAt } } }';
  const [record] = (await client.ask(key, query)).body.data.accessRecords.nodes;
  const upTo = async (until: Date) =>
    (await client.ask(key, query, { until: until.toISOString() })).body.data.accessRecords.nodes;
  const occurredAt = new Date(record.occurredAt);
  expect(await upTo(occurredAt)).toEqual([record]);
  expect(await upTo(new Date(occurredAt.getTime() - 1))).toEqual([]);
});
