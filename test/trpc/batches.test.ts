import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/http-client.ts';
import { outcomesOf, refusedAs, serveTrpc } from './support.ts';

const { service, client } = await serveTrpc();

/** A key that has all its points, and a function that returns the cost of a request. */
async function withBudget() {
  const { investor, company } = await service.fixtures.readablePortfolio();
  let left = 1000;
  const { key } = await service.fixtures.key(investor, { rateLimit: left });
  return {
    key,
    company,
    costOf({ headers }: Answer): number {
      const cost = left - Number(headers['ratelimit-remaining']);
      left -= cost;
      return cost;
    },
  };
}

describe('a batch', () => {
  it('returns each call’s result separately, in order, with 207 if the statuses differ', async () => {
    const { key, company } = await withBudget();
    const companyId = company.id;
    const answer = await client.batch(
      key,
      ['metrics.latest', { companyId }],
      ['metrics.latest', { companyId: 'co_none' }],
      ['metrics.byKey', { companyId }],
      ['nowhere', {}],
      ['companies.list'],
      ['metrics.byKey', { companyId, key: 'none' }],
      ['accounts.list'],
    );
    expect(refusedAs(answer)).toEqual([
      207,
      'ok',
      'company_not_found',
      'invalid_parameter',
      'route_not_found',
      'ok',
      'metric_not_found',
      'invalid_parameter',
    ]);
    expect(answer.body[0].result.data).toHaveLength(2);
    expect(answer.body[4].result.data).toHaveLength(1);
  });

  it('has the status of its calls if all calls have the same status', async () => {
    const { key, company } = await withBudget();
    const good = ['sources.list', { companyId: company.id }] as const;
    const bad = ['sources.list', { companyId: 'co_none' }] as const;
    const empty = ['sources.list', { companyId: '' }] as const;
    expect(refusedAs(await client.batch(key, good, good))).toEqual([200, 'ok', 'ok']);
    expect((await client.batch(key, bad, bad)).status).toBe(404);
    expect((await client.batch(key, empty, empty)).status).toBe(422);
    expect((await client.batch(key, bad, empty)).status).toBe(207);
    expect(refusedAs(await client.batch(key, good))).toEqual([200, 'ok']);
  });

  it('may contain queries and mutations with POST, but no mutations with GET', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const wanted = { companyId: company.id, scopes: ['metrics:read'] };
    const path = '/trpc/companies.list,accessRequests.create?batch=1';
    const byGet = await client.send(
      'GET',
      `${path}&input=${encodeURIComponent(JSON.stringify({ 1: wanted }))}`,
      { key },
    );
    expect(refusedAs(byGet)).toEqual([207, 'ok', 'method_not_allowed']);
    const byPost = await client.send('POST', path, { key, body: { 1: wanted } });
    expect(refusedAs(byPost)).toEqual([200, 'ok', 'ok']);
  });
});

describe('the cost of a batch', () => {
  it.each([
    ['commas that are encoded', 'companies.list%2Ccompanies.list?batch=1', 2],
    ['commas that are encoded twice', 'companies.list%252Ccompanies.list?batch=1', 1],
    ['an encoded parameter', 'companies.list,companies.list?%62atch=%31', 2],
    ['empty names', ',,companies.list,?batch=1', 4],
    ['only commas', ',,,?batch=1', 4],
    ['no name', '?batch=1', 1],
    ['no name, with a slash before', '/?batch=1', 1],
    ['one call', 'companies.list', 1],
    ['the same name twenty times', `${'companies.list,'.repeat(19)}companies.list?batch=1`, 20],
    ['commas without batch', 'companies.list,companies.list', 1],
    ['commas with batch=0', 'companies.list,companies.list?batch=0', 1],
    ['commas with batch=true', 'companies.list,companies.list?batch=true', 1],
    ['the parameter batch twice', 'companies.list,companies.list?batch=1&batch=1', 1],
    ['a batch of one name', 'companies.list?batch=1', 1],
    ['a parameter whose value is batch=1', 'companies.list,companies.list?x=batch=1', 1],
    ['a fragment', 'companies.list,companies.list%3Fbatch=1', 1],
    ['inputs for more calls', `companies.list?batch=1&input={"0":{},"1":{},"2":{}}`, 1],
    ['dots and slashes', './companies.list,companies.list?batch=1', 2],
  ])('is one point per call that runs: %s', async (_name, path, cost) => {
    const { key, costOf } = await withBudget();
    for (const method of ['GET', 'POST']) {
      const answer = await client.send(method, `/trpc/${path.replaceAll('"', '%22')}`, {
        key,
        headers: { 'content-type': 'application/json' },
      });
      expect(outcomesOf(answer)).toHaveLength(cost);
      expect(costOf(answer)).toBe(cost);
    }
  });

  it('is one point per call for a batch with an unreadable body', async () => {
    const { key, costOf } = await withBudget();
    for (const type of ['application/json', 'text/plain']) {
      const headers = { 'content-type': type };
      const path = '/trpc/companies.list,companies.list,companies.list?batch=1';
      expect(costOf(await client.send('POST', path, { key, headers, raw: '{' }))).toBe(3);
    }
  });
});

describe('a batch that is too large', () => {
  it.each([21, 100, 700])('is refused as a whole, and costs one point: %i calls', async (count) => {
    const { key, company, costOf } = await withBudget();
    for (const method of ['GET', 'POST']) {
      const answer = await client.send(
        method,
        `/trpc/${Array(count).fill('companies.list').join()}?batch=1`,
        { key, headers: { 'content-type': 'application/json' } },
      );
      expect(refusedAs(answer)).toEqual([400, 'batch_too_large']);
      expect(answer.body.error.message).toContain('20');
      expect(costOf(answer)).toBe(1);
    }
    const wanted = { companyId: company.id, scopes: ['metrics:read'] };
    const body = Object.fromEntries(Array.from({ length: count }, (_, index) => [index, wanted]));
    const names = Array(count).fill('accessRequests.create').join();
    await client.send('POST', `/trpc/${names}?batch=1`, { key, body });
    const list = await client.ask(key, 'accessRequests.list');
    expect(list.body.result.data.items, 'nothing but the fixture’s own').toHaveLength(1);
  });

  it('is refused even if all its procedure names are empty, but only after the check of the key', async () => {
    const { key, costOf } = await withBudget();
    const path = `/trpc/${','.repeat(5000)}?batch=1`;
    const answer = await client.send('GET', path, { key });
    expect(refusedAs(answer)).toEqual([400, 'batch_too_large']);
    expect(costOf(answer)).toBe(1);
    const stranger = await client.send('GET', path);
    expect(refusedAs(stranger)).toEqual([401, 'missing_api_key']);
    expect(stranger.text.length).toBeLessThan(1000);
  });
});

describe('a batch above the rate limit', () => {
  it('is refused as a whole, and none of its calls runs', async () => {
    const { investor, key, company } = await service.fixtures.portfolio({ rateLimit: 5 });
    const wanted = { companyId: company.id, scopes: ['metrics:read'] };
    expect((await client.ask(key, 'companies.list')).headers['ratelimit-remaining']).toBe('4');
    const calls = Array.from({ length: 5 }, () => ['accessRequests.create', wanted] as const);
    const answer = await client.batch(key, ...calls);
    expect(refusedAs(answer)).toEqual([429, ...Array(5).fill('rate_limit_exceeded')]);
    expect(answer.headers['ratelimit-remaining']).toBe('0');
    expect(answer.headers['retry-after']).toBe(answer.headers['ratelimit-reset']);

    const { key: other } = await service.fixtures.key(investor);
    const list = await client.ask(other, 'accessRequests.list');
    expect(list.body.result.data.items).toEqual([]);
  });
});
