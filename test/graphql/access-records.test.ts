import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { codesOf, serveGraphql } from './support.ts';

const { service, client } = await serveGraphql();

const records = `query ($companyId: ID, $since: DateTime, $until: DateTime, $first: Int, $after: String) {
  accessRecords(companyId: $companyId, since: $since, until: $until, first: $first, after: $after) {
    nodes {
      id occurredAt requestId protocol keyId companyId scope resource metricKey grantId outcome count
    }
    pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;

it('an investor sees the allowed and refused reads of its keys in every protocol, newest first', async () => {
  const { fixtures } = service;
  const { company, key, keyId, investor } = await fixtures.readablePortfolio();
  const other = await fixtures.companyOf(investor);
  const rest = await service.get(`/v1/companies/${company.id}/metrics/cash_balance`, key);
  expectOk(rest);
  // Records of the same millisecond have no defined order.
  for (const readBy = Date.now(); Date.now() === readBy; );
  await client.ask(key, `{ company(id: "${other.id}") { sources { __typename } } }`);
  const { body } = await client.ask(key, records);
  expect(body.data.accessRecords.nodes).toEqual([
    expect.objectContaining({
      protocol: 'GRAPHQL',
      companyId: other.id,
      scope: 'SOURCES_READ',
      resource: 'SOURCES',
      metricKey: null,
      grantId: null,
      outcome: 'ACCESS_REQUIRED',
      count: 1,
    }),
    {
      id: expect.stringMatching(/^rec_/),
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: rest.headers['svc-request-id'],
      protocol: 'REST',
      keyId,
      companyId: company.id,
      scope: 'METRICS_READ',
      resource: 'METRIC',
      metricKey: 'cash_balance',
      grantId: expect.stringMatching(/^ar_/),
      outcome: 'ALLOWED',
      count: 1,
    },
  ]);
});

it('access records can be filtered by company and time, with a limited number', async () => {
  const { company, key } = await service.fixtures.readablePortfolio();
  for (const _ of [1, 2]) expectOk(await service.get(`/v1/companies/${company.id}/sources`, key));
  const count = async (variables: object) =>
    (await client.ask(key, records, variables)).body.data.accessRecords.nodes.length;
  expect(await count({ companyId: company.id })).toBe(2);
  expect(await count({ companyId: 'co_none' })).toBe(0);
  expect(await count({ since: '2999-01-01T00:00:00Z' })).toBe(0);
  expect(await count({ until: '2020-01-01T00:00:00+02:00' })).toBe(0);
  expect(await count({ first: 1 })).toBe(1);
  expect(await count({ first: null })).toBe(2);
});

it.each([
  { first: 0 },
  { first: 1001 },
  { after: 'nowhere' },
  { since: 'yesterday' },
  { since: '0000-01-01T00:00:00Z' },
  { since: '0001-01-01T00:00:00+14:00' },
])('access records with the arguments %j are refused', async (variables) => {
  const { key } = await service.fixtures.portfolio();
  expect(codesOf(await client.ask(key, records, variables))).toEqual(['invalid_parameter']);
});

it('the field apiKey returns the caller’s key, with the same values as REST', async () => {
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
