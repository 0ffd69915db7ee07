import { describe, expect, it } from 'vitest';
import { importLines, type Portfolio, sampleData } from '../support/fixtures.ts';
import type { Answer } from '../support/http-client.ts';
import { codesOf, serveGraphql } from './support.ts';

const { service, client } = await serveGraphql();

const limit = 100;

/** A portfolio with this many companies that have granted everything, and one that has granted nothing. */
async function portfolioOf(readable: number, rateLimit = limit): Promise<Portfolio> {
  const made = await service.fixtures.portfolio();
  for (let index = 0; index < readable; index++) {
    const company = await service.fixtures.companyOf(made.investor);
    await importLines(service.operator, sampleData(company.id));
    await service.fixtures.grant({ key: made.key, company });
  }
  // The access requests have cost points of the first key, so the test uses another one.
  return { ...made, ...(await service.fixtures.key(made.investor, { rateLimit })) };
}

const remaining = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);
describe('the rate limit of a key', () => {
  it('is returned twice: before the reads in the field rateLimit, and after the reads in the headers', async () => {
    const { key } = await portfolioOf(4);
    const query = `{ viewer { rateLimit { limit remaining resetSeconds } }
      companies { nodes { metrics { __typename } } } }`;
    const answer = await client.ask(key, query);
    const { rateLimit } = answer.body.data.viewer;
    expect(rateLimit).toMatchObject({ limit, remaining: limit - 1 });
    expect(remaining(answer)).toBe(limit - 5);
    expect(Number(answer.headers['ratelimit-reset'])).toBeGreaterThanOrEqual(1);
  });

  it('can be exceeded by simultaneous reads of one HTTP request, and then the next request is refused', async () => {
    const { key } = await portfolioOf(5, 3);
    const answer = await client.ask(key, '{ companies { nodes { metrics { __typename } } } }');
    expect([answer.status, codesOf(answer)]).toEqual([200, []]);
    expect(answer.body.data.companies.nodes).toHaveLength(6);
    expect(remaining(answer)).toBe(0);
    expect(codesOf(await client.ask(key, '{ __typename }'))).toEqual(['rate_limit_exceeded']);
  });

  it('ends an HTTP request with an error if it is used up before the next read', async () => {
    const made = await portfolioOf(2, 3);
    const { key } = made;
    const query = `{ companies { nodes { metrics { ... on CompanyMetrics { metrics { history { period } } } } } } }`;
    const answer = await client.ask(key, query);
    expect([answer.status, codesOf(answer)]).toEqual([429, ['rate_limit_exceeded']]);
    expect(answer.headers['retry-after']).toBe(answer.headers['ratelimit-reset']);
    expect(await recordsOf(made)).toEqual(Array(3).fill('metrics'));
  });

  it('loses no point for OPTIONS, and one point for a batch that is too large', async () => {
    const { key } = await portfolioOf(0);
    await client.send('OPTIONS', '/graphql', { key });
    const body = Array.from({ length: 11 }, () => ({ query: '{ __typename }' }));
    const answer = await client.send('POST', '/graphql', { key, body });
    expect(codesOf(answer)).toEqual(['batch_too_large']);
    expect(remaining(answer)).toBe(limit - 1);
  });

  it('loses the points for a batch before the batch’s operations run', async () => {
    const { key } = await portfolioOf(0, 3);
    const body = Array.from({ length: 4 }, () => ({ query: '{ __typename }' }));
    const batch = await client.send('POST', '/graphql', { key, body });
    expect([batch.status, batch.body.length, remaining(batch)]).toEqual([200, 4, 0]);
    const { key: other } = await portfolioOf(0, 1);
    const refused = await client.send('POST', '/graphql', { key: other, body });
    expect([refused.status, codesOf(refused)]).toEqual([429, ['rate_limit_exceeded']]);
  });

  it('is exceeded at most by the simultaneous reads of one HTTP request, however many requests run', async () => {
    const made = await portfolioOf(9, 25);
    const query = '{ companies { nodes { metrics { __typename } } } }';
    await Promise.all(Array.from({ length: 10 }, () => client.ask(made.key, query)));
    const records = await recordsOf(made);
    expect(records.length).toBeGreaterThan(0);
    expect(records.length).toBeLessThanOrEqual(25 + 9);
  });
});

/** Uses another key, so that the first key isn't charged. */
async function recordsOf({ investor }: Portfolio): Promise<string[]> {
  const other = await service.fixtures.key(investor);
  const { body } = await client.ask(
    other.key,
    '{ accessRecords(first: 1000) { nodes { resource } } }',
  );
  return body.data.accessRecords.nodes.map(({ resource }: { resource: string }) =>
    resource.toLowerCase(),
  );
}
