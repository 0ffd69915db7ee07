import { describe, expect, it } from 'vitest';
import { allScopes } from '../support/contract.ts';
import type { Json } from '../support/http-client.ts';
import { codesOf, serveGraphql } from './support.ts';

const { service, client } = await serveGraphql();

async function read(key: string, query: string, variables?: object): Promise<Json> {
  const answer = await client.ask(key, query, variables);
  expect(codesOf(answer), answer.text).toEqual([]);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

const gatedFields = `
  metrics { ... on CompanyMetrics { metrics { key } } ... on AccessRefusal { code } }
  metric(key: "headcount") { ... on Metric { value } ... on AccessRefusal { code } }
  sources { ... on CompanySources { sources { provider } } ... on AccessRefusal { code } }
  accounts { ... on CompanyAccounts { accounts { name } } ... on AccessRefusal { code } }`;

describe('a key without companies:read', () => {
  const query = `query ($id: ID!) { company(id: $id) { id name access { status } ${gatedFields} } }`;
  const scopes = allScopes.filter((scope) => scope !== 'companies:read');

  it('reads the granted data of a company by its ID, but not its name and access', async () => {
    const { investor, company } = await service.fixtures.readablePortfolio();
    const { key } = await service.fixtures.key(investor, { scopes });
    const answer = await client.ask(key, query, { id: company.id });
    expect(answer.body.data.company).toMatchObject({
      id: company.id,
      name: null,
      access: null,
      metrics: { metrics: expect.any(Array) },
      accounts: { accounts: expect.any(Array) },
    });
    expect(answer.body.errors.map(({ path }: Json) => path.join('.')).toSorted()).toEqual([
      'company.access',
      'company.name',
    ]);
    expect(codesOf(answer)).toEqual(['insufficient_scope', 'insufficient_scope']);
  });

  it('gets no list of companies, but the other fields of the operation', async () => {
    const { investor } = await service.fixtures.portfolio();
    const { key } = await service.fixtures.key(investor, { scopes });
    const answer = await client.ask(key, '{ companies { nodes { id } } viewer { environment } }');
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ companies: null, viewer: { environment: 'LIVE' } });
    expect(codesOf(answer)).toEqual(['insufficient_scope']);
    expect(answer.body.errors[0]).toMatchObject({
      path: ['companies'],
      locations: [{ line: 1, column: 3 }],
    });
  });
});

describe('access requests', () => {
  it('have null as their company, without an error, if the company left the portfolio', async () => {
    const { fixtures, operator } = service;
    const { investor, company, key } = await fixtures.portfolio();
    await fixtures.request(key, company.id);
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
    const data = await read(key, '{ accessRequests { nodes { companyId company { id name } } } }');
    expect(data).toEqual({ accessRequests: { nodes: [{ companyId: company.id, company: null }] } });
  });
});

describe('the field viewer', () => {
  it('returns the investor, environment, scopes and rate limit of the caller', async () => {
    const { investor, key } = await service.fixtures.portfolio({
      environment: 'test',
      scopes: ['metrics:read', 'companies:read'],
      rateLimit: 77,
    });
    const data = await read(
      key,
      '{ viewer { investor { id name } environment scopes rateLimit { limit remaining resetSeconds } } }',
    );
    expect(data.viewer).toEqual({
      investor: { id: investor.id, name: investor.name },
      environment: 'TEST',
      scopes: expect.arrayContaining(['METRICS_READ', 'COMPANIES_READ']),
      rateLimit: { limit: 77, remaining: 76, resetSeconds: expect.any(Number) },
    });
    expect(data.viewer.scopes).toHaveLength(2);
  });
});
