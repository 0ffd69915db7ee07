import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { allScopes } from '../support/contract.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { publicUrl, startService } from '../support/service.ts';
import { codesOf, createGraphqlClient } from './support.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const client = await closedAfterAll(createGraphqlClient(service.url));

/** The data of an answer without any error. */
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

describe('a dashboard over many companies', () => {
  it('gets the data of those that granted it and the reasons of the others, in one answer', async () => {
    const { fixtures, operator } = service;
    const { investor, key } = await fixtures.portfolio();
    const expected = new Map<string, string>();
    for (let index = 0; index < 50; index++) {
      const company = await fixtures.companyOf(
        investor,
        `Company ${String(index).padStart(2, '0')}`,
      );
      const kind = index % 5;
      if (kind < 3) {
        await importLines(operator, sampleData(company.id));
        await fixtures.grant({ key, company });
      } else if (kind === 3) await fixtures.request(key, company.id);
      expected.set(
        company.id,
        kind < 3 ? 'data' : kind === 3 ? 'ACCESS_PENDING' : 'ACCESS_REQUIRED',
      );
    }
    const { companies } = await read(
      key,
      `{ companies { nodes { id name metrics {
        ... on CompanyMetrics { metrics { key value } }
        ... on AccessRefusal { code message documentationUrl }
      } } } }`,
    );
    const seen = companies.nodes.filter(({ id }: Json) => expected.has(id));
    expect(seen).toHaveLength(50);
    for (const { id, metrics } of seen) {
      if (expected.get(id) === 'data') expect(metrics.metrics).toHaveLength(2);
      else {
        expect(metrics.code).toBe(expected.get(id));
        expect(metrics.message).toMatch(/\w/);
        expect(metrics.documentationUrl).toBe(
          `${publicUrl}/docs/errors#${metrics.code.toLowerCase()}`,
        );
      }
    }
    expect(seen.filter(({ metrics }: Json) => metrics.code)).toHaveLength(20);
  });
});

describe('what is read of one company', () => {
  it('is everything that REST gives', async () => {
    const { fixtures } = service;
    const { company, key } = await fixtures.readablePortfolio();
    const data = await read(
      key,
      `query ($id: ID!) { company(id: $id) {
        id name
        metrics { ... on CompanyMetrics { metrics {
          companyId key label category currency period value rawValue confidence asOf
          source { system method lastSynced }
          verification { verified signed signature publicKeyUrl }
        } } }
        sources { ... on CompanySources { sources { provider status accountName lastSyncedAt } } }
        accounts { ... on CompanyAccounts { accounts {
          id: accountId companyId provider name type currency balance rawBalance lastFour lastSyncedAt
        } } }
      } }`,
      { id: company.id },
    );
    const rest = async (path: string) => {
      const answer = await service.get(`/v1/companies/${company.id}/${path}`, key);
      return JSON.parse(answer.text.replaceAll(/("raw_\w+":)(-?[\d.]+)/g, '$1"$2"')).data;
    };
    expect(data.company).toMatchObject({ id: company.id, name: company.name });
    const metrics = data.company.metrics.metrics;
    expect(metrics.map(snake)).toEqual(
      (await rest('metrics')).map(({ verification, raw_value_text: _, ...metric }: Json) => ({
        // What REST leaves out is null here.
        currency: null,
        ...metric,
        verification: { signature: null, public_key_url: null, ...verification },
      })),
    );
    expect(data.company.sources.sources.map(snake)).toEqual(
      (await rest('sources')).map(({ object: _object, ...source }: Json) => source),
    );
    expect(
      data.company.accounts.accounts.map(({ type, ...account }: Json) =>
        snake({ ...account, type: type.toLowerCase() }),
      ),
    ).toEqual(
      (await rest('accounts')).map(
        ({ object: _, raw_balance_text: _text, ...account }: Json) => account,
      ),
    );
  });
});

describe('the gate, for every gated field', () => {
  it('names the scope that the key lacks, field by field', async () => {
    const { investor, company } = await service.fixtures.readablePortfolio();
    const { key } = await service.fixtures.key(investor, { scopes: ['companies:read'] });
    const messages = `query ($id: ID!) { company(id: $id) {
      metrics { ... on AccessRefusal { code message } }
      sources { ... on AccessRefusal { code message } }
    } }`;
    const answer = await read(key, messages, { id: company.id });
    expect(answer.company.metrics).toMatchObject({
      code: 'INSUFFICIENT_SCOPE',
      message: expect.stringContaining('metrics:read'),
    });
    expect(answer.company.sources.message).toContain('sources:read');
  });
});

describe('a key without companies:read', () => {
  const query = `query ($id: ID!) { company(id: $id) { id name access { status } ${gatedFields} } }`;
  const scopes = allScopes.filter((scope) => scope !== 'companies:read');

  it('reads what was granted of a company that it knows by id, but not its entry', async () => {
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

  it('does not get the list, and the other fields of the operation are not touched', async () => {
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
  const fields = 'id companyId requestedScopes approvedScopes status purpose expiresAt createdAt';

  it('are listed in the order of REST, filtered by status, and read one by one', async () => {
    const { fixtures, operator } = service;
    const { investor, company, key } = await fixtures.portfolio();
    const first = await fixtures.request(key, company.id, ['metrics:read']);
    await operator.declineAccessRequest({ id: first.id, reason: 'Not now.' });
    const other = await fixtures.companyOf(investor);
    const second = await fixtures.request(key, other.id);
    const { accessRequests: list } = await read(key, `{ accessRequests { nodes { ${fields} } } }`);
    const accessRequests = list.nodes;
    const rest = (await service.get('/v1/access-requests', key)).body.data;
    expect(accessRequests.map(({ id }: Json) => id)).toEqual(rest.map(({ id }: Json) => id));
    expect(accessRequests).toHaveLength(2);
    expect(accessRequests).toContainEqual({
      id: first.id,
      companyId: company.id,
      requestedScopes: ['METRICS_READ'],
      approvedScopes: [],
      status: 'DECLINED',
      purpose: null,
      expiresAt: null,
      createdAt: first.createdAt.toISOString(),
    });
    const declined = await read(key, '{ accessRequests(status: DECLINED) { nodes { id } } }');
    expect(declined).toEqual({ accessRequests: { nodes: [{ id: first.id }] } });
    const one = 'query ($id: ID!) { accessRequest(id: $id) { id company { name } } }';
    expect(await read(key, one, { id: second.id })).toEqual({
      accessRequest: { id: second.id, company: { name: other.name } },
    });
  });

  it('show no company once it has left the portfolio, and no error for it', async () => {
    const { fixtures, operator } = service;
    const { investor, company, key } = await fixtures.portfolio();
    await fixtures.request(key, company.id);
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
    const data = await read(key, '{ accessRequests { nodes { companyId company { id name } } } }');
    expect(data).toEqual({ accessRequests: { nodes: [{ companyId: company.id, company: null }] } });
  });

  it('stand in the access of their company', async () => {
    const { fixtures } = service;
    const made = await fixtures.portfolio();
    const query =
      '{ companies { nodes { access { status approvedScopes expiresAt request { id status } } } } }';
    expect(await read(made.key, query)).toEqual({
      companies: {
        nodes: [{ access: { status: 'NONE', approvedScopes: [], expiresAt: null, request: null } }],
      },
    });
    const { id, expiresAt } = await fixtures.grant(made, ['sources:read']);
    expect(await read(made.key, query)).toEqual({
      companies: {
        nodes: [
          {
            access: {
              status: 'APPROVED',
              approvedScopes: ['SOURCES_READ'],
              expiresAt: expiresAt?.toISOString(),
              request: { id, status: 'APPROVED' },
            },
          },
        ],
      },
    });
  });
});

describe('requestAccess', () => {
  const mutation = `mutation ($input: RequestAccessInput!) { requestAccess(input: $input) {
    outcome replayed accessRequest { id status requestedScopes purpose }
  } }`;
  const request = (key: string, input: object) => client.ask(key, mutation, { input });

  it('creates a request, finds it the second time, and repeats an answer under its key', async () => {
    const { company, key } = await service.fixtures.portfolio();
    const input = {
      companyId: company.id,
      scopes: ['METRICS_READ', 'METRICS_READ'],
      purpose: 'Reporting',
      idempotencyKey: 'once',
    };
    const created = (await request(key, input)).body.data.requestAccess;
    expect(created).toMatchObject({
      outcome: 'CREATED',
      replayed: false,
      accessRequest: { status: 'PENDING', requestedScopes: ['METRICS_READ'], purpose: 'Reporting' },
    });
    const { accessRequest } = created;
    const replayed = await request(key, input);
    expect(replayed.body.data.requestAccess).toEqual({ ...created, replayed: true });
    const found = await request(key, { companyId: company.id, scopes: ['METRICS_READ'] });
    expect(found.body.data.requestAccess).toEqual({
      outcome: 'EXISTING',
      replayed: false,
      accessRequest,
    });
  });
});

describe('viewer', () => {
  it('tells who asks', async () => {
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

function snake(value: Json): Json {
  if (Array.isArray(value) || value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snake(inner),
    ]),
  );
}
