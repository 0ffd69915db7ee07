import { beforeEach, describe, expect, it } from 'vitest';
import { AccessError } from '#core';
import { createStandIns } from '../parity/stand-ins.ts';
import type { Json } from '../support/http-client.ts';
import { codesOf, serveGraphql } from './support.ts';

const standIns = createStandIns();
let logLength = 0;

const { service, client } = await serveGraphql({ interpose: standIns.interpose });

beforeEach(() => {
  standIns.restore();
  logLength = service.log.length;
});

const logged = () =>
  service.log
    .slice(logLength)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'unexpected error');

describe('an unexpected error', () => {
  const secret = 'password authentication failed for user "svc" at db-7.internal';

  it('is masked at the path of its field, and logged once with the request ID', async () => {
    const cause = new Error(secret);
    standIns.break('readSources', cause);
    standIns.break('readAccounts', cause);
    const { investor, company, key } = await service.fixtures.readablePortfolio();
    await service.fixtures.companyOf(investor);
    const answer = await client.ask(
      key,
      `{ companies { nodes {
        id sources { __typename } accounts { __typename } metrics { __typename }
      } } viewer { environment } }`,
    );
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('password');
    expect(codesOf(answer)).toEqual(Array(4).fill('internal_error'));
    const { companies, viewer } = answer.body.data;
    expect(viewer).toEqual({ environment: 'LIVE' });
    expect(companies.nodes.find(({ id }: Json) => id === company.id)).toEqual({
      id: company.id,
      sources: null,
      accounts: null,
      metrics: { __typename: 'CompanyMetrics' },
    });
    const lines = logged();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      request_id: answer.headers['svc-request-id'],
      err: { message: secret },
    });
  });

  it('is masked and logged if a response can’t be serialised', async () => {
    const company = { id: 'co_1', name: 'One', access: secret, grant: null, newestRequestId: null };
    standIns.replace('pagePortfolio', async () => ({
      edges: [{ cursor: 'one', company }],
      hasNextPage: false,
      hasPreviousPage: false,
    }));
    const { key } = await service.fixtures.portfolio();
    const answer = await client.ask(key, '{ companies { nodes { name access { status } } } }');
    expect(answer.body.data).toEqual({ companies: { nodes: [{ name: 'One', access: null }] } });
    expect(codesOf(answer)).toEqual(['internal_error']);
    expect(answer.text).not.toContain('password');
    expect(logged()).toHaveLength(1);
  });

  it('is logged only once if each operation of a batch fails with it', async () => {
    standIns.break('pagePortfolio', new Error(secret));
    const { key } = await service.fixtures.portfolio();
    const body = Array.from({ length: 5 }, () => ({ query: '{ companies { nodes { id } } }' }));
    const answer = await client.send('POST', '/graphql', { key, body });
    expect(answer.body.map(({ data }: Json) => data)).toEqual(Array(5).fill({ companies: null }));
    expect(logged()).toHaveLength(1);
  });
});

describe('an outage', () => {
  it('causes an error only at the fields that need the unavailable use case', async () => {
    const { key } = await service.fixtures.readablePortfolio();
    standIns.break('readSources', new AccessError('service_unavailable'));
    const answer = await client.ask(
      key,
      '{ companies { nodes { sources { __typename } metrics { __typename } } } }',
    );
    expect(answer.status).toBe(200);
    expect(answer.body.data.companies.nodes).toEqual([
      { sources: null, metrics: { __typename: 'CompanyMetrics' } },
    ]);
    expect(codesOf(answer)).toEqual(['service_unavailable']);
    expect(answer.body.errors[0].path).toEqual(['companies', 'nodes', 0, 'sources']);
    expect(logged()).toEqual([]);
  });
});

describe('a key that ends while its operation runs', () => {
  it('causes an error, and not a refusal in the field’s data', async () => {
    standIns.break('readSources', new AccessError('invalid_api_key'));
    const { key } = await service.fixtures.readablePortfolio();
    const answer = await client.ask(key, '{ companies { nodes { sources { __typename } } } }');
    expect(answer.body.data.companies.nodes).toEqual([{ sources: null }]);
    expect(codesOf(answer)).toEqual(['invalid_api_key']);
  });
});
