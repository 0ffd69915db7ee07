import { describe, expect, it } from 'vitest';
import type { InvestorUseCases } from '#core';
import type { GraphqlBounds } from '../../graphql-adapter/settings.ts';
import { openStream } from '../support/event-stream.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { Answer } from '../support/http-client.ts';
import type { ServiceOptions } from '../support/service.ts';
import { codesOf, serveGraphql } from './support.ts';

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** The whole request must fail, with exactly one error. */
function expectEnded(answer: Answer, code: string, limit: number): void {
  expect([answer.status, codesOf(answer)], answer.text.slice(0, 300)).toEqual([400, [code]]);
  expect(Object.keys(answer.body)).toEqual(['errors']);
  expect(answer.body.errors[0].message).toContain(String(limit));
}

/** Starts a service with a low bound for one describe block. */
const serve = (graphql: Partial<GraphqlBounds>, interpose?: ServiceOptions['interpose']) =>
  serveGraphql({
    environment: { RATE_LIMIT_POINTS: '100000' },
    bounds: { graphql },
    ...(interpose && { interpose }),
  });

describe('the rows that one request may read', async () => {
  const given = await serve({ maxRows: 10 });

  /** A company with one metric that has a value for each of this many days. */
  async function companyWith(days: number) {
    const { fixtures, operator } = given.service;
    const made = await fixtures.portfolio();
    await importLines(
      operator,
      Array.from({ length: days }, (_, index) => ({
        type: 'metric',
        company_id: made.company.id,
        key: 'cash_balance',
        period: `2026-01-${String(index + 1).padStart(2, '0')}`,
        source: { system: 'mercury', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
        raw_value: index,
      })),
    );
    await fixtures.grant(made);
    return made;
  }

  const history = `query ($id: ID!) {
    company(id: $id) {
      name
      metric(key: "cash_balance") { ... on Metric { key history { period } } }
    }
  }`;

  it('are returned up to a bound, above which the request fails, for one operation and for a batch', async () => {
    const [few, many, half] = [await companyWith(9), await companyWith(10), await companyWith(6)];
    const { body } = await given.client.ask(few.key, history, { id: few.company.id });
    expect(body.errors).toBeUndefined();
    expect(body.data.company.metric.history).toHaveLength(9);
    const beyond = await given.client.ask(many.key, history, { id: many.company.id });
    expectEnded(beyond, 'query_too_costly', 10);
    const one = { query: history, variables: { id: half.company.id } };
    const batch = await given.client.send('POST', '/graphql', { key: half.key, body: [one, one] });
    expectEnded(batch, 'query_too_costly', 10);
  });

  it('include refusals and access records', async () => {
    const { company, key } = await given.service.fixtures.portfolio();
    // Equal refusals in one request share a record, so these records come from eleven requests.
    for (let count = 0; count < 11; count += 1) {
      await given.client.ask(key, `{ company(id: "${company.id}") { sources { __typename } } }`);
    }
    const refused = await given.client.ask(
      key,
      `query ($id: ID!) { ${times(11, (index) => `a${index}: company(id: $id) { sources { __typename } }`)} }`,
      { id: company.id },
    );
    expectEnded(refused, 'query_too_costly', 10);
    const records = await given.client.ask(key, '{ accessRecords(first: 20) { nodes { id } } }');
    expectEnded(records, 'query_too_costly', 10);
    const { body } = await given.client.ask(key, '{ accessRecords(first: 10) { nodes { id } } }');
    expect(body.data.accessRecords.nodes).toHaveLength(10);
  });

  it('include metrics, sources and accounts', async () => {
    const { company, key } = await given.service.fixtures.readablePortfolio();
    const all = 'metrics { __typename } sources { __typename } accounts { __typename }';
    const query = `query ($id: ID!) { a: company(id: $id) { ${all} } b: company(id: $id) { ${all} } }`;
    const answer = await given.client.ask(key, query, { id: company.id });
    expectEnded(answer, 'query_too_costly', 10);
  });
});

describe('the reads that one request may make', async () => {
  const given = await serve({ maxReads: 6 });

  const metricsOf = (id: string, count: number) =>
    `{ company(id: "${id}") { ${times(count, (index) => `a${index}: metrics { __typename }`)} } }`;

  it.each(['readablePortfolio', 'portfolio'] as const)(
    'are estimated before the first read, and nothing is read above the bound: %s',
    async (kind) => {
      const { company, key } = await given.service.fixtures[kind]();
      expectEnded(await given.client.ask(key, metricsOf(company.id, 6)), 'query_too_costly', 6);
      const within = await given.client.ask(key, metricsOf(company.id, 5));
      expect(codesOf(within)).toEqual([]);
      const { body } = await given.client.ask(key, '{ accessRecords { nodes { count } } }');
      const counts = body.data.accessRecords.nodes.map((record: { count: number }) => record.count);
      expect(counts).toEqual(kind === 'portfolio' ? [5] : [1, 1, 1, 1, 1]);
    },
  );

  const lists =
    '{ companies { nodes { id } } accessRequests { nodes { id } } accessRecords { nodes { id } } }';
  const lookUps = '{ viewer { investor { id } } accessRequest(id: "ar_0") { company { id } } }';
  const mutation =
    'mutation { requestAccess(input: {companyId: "co_0", scopes: [METRICS_READ]}) { outcome } }';

  it.each([
    ['lists and look-ups', [lists, lookUps], [lookUps, lookUps, lookUps]],
    ['lists and mutations', [lists, mutation, mutation, mutation], [lists, lists, mutation]],
  ])('include %s in all operations of a batch', async (_name, within, beyond) => {
    const { key } = await given.service.fixtures.portfolio();
    const send = (queries: readonly string[]) =>
      given.client.send('POST', '/graphql', { key, body: queries.map((query) => ({ query })) });
    expect((await send(within)).body).toHaveLength(within.length);
    expectEnded(await send(beyond), 'query_too_costly', 6);
  });
});

describe('reads whose number depends on the data', async () => {
  const asked: string[] = [];
  const given = await serve(
    { maxReads: 150 },
    (useCases): InvestorUseCases => ({
      ...useCases,
      readMetricHistory(caller, input) {
        asked.push(input.key);
        return useCases.readMetricHistory(caller, input);
      },
    }),
  );

  it('make the request fail before the first of these reads if there are too many', async () => {
    const { fixtures, operator } = given.service;
    const made = await fixtures.portfolio();
    await fixtures.grant(made);
    const [metric = {}] = sampleData(made.company.id);
    const metrics = Array.from({ length: 151 }, (_, index) => ({ ...metric, key: `key_${index}` }));
    await importLines(operator, metrics);
    const answer = await given.client.ask(
      made.key,
      `{ company(id: "${made.company.id}") { metrics { ... on CompanyMetrics { metrics { history { value } } } } } }`,
    );
    expectEnded(answer, 'query_too_costly', 150);
    expect(asked).toEqual([]);
  });
});

describe('the total cost of a batch', async () => {
  const given = await serve({});
  const send = (key: string, queries: readonly string[]) =>
    given.client.send('POST', '/graphql', { key, body: queries.map((query) => ({ query })) });

  it('can be too high although each operation alone is accepted, and then no operation runs', async () => {
    const { key } = await given.service.fixtures.readablePortfolio();
    const costly = `{ ${times(25, (i) => `a${i}: companies { nodes { metrics { __typename } } }`)} }`;
    expect(codesOf(await given.client.ask(key, costly))).toEqual([]);
    const read = await records(key);
    expectEnded(await send(key, [costly, costly]), 'query_too_costly', 5000);
    expect(await records(key)).toBe(read);
    const large = `{ ${times(
      3,
      (i) => `a${i}: companies { nodes { metrics { ... on CompanyMetrics { metrics {
      key label category currency period value rawValue confidence asOf } } } } }`,
    )} }`;
    expect(codesOf(await given.client.ask(key, large))).toEqual([]);
    expectEnded(await send(key, [large, large]), 'query_too_costly', 100_000);
    expect(await records(key)).toBe(read + 3);
  });

  async function records(key: string): Promise<number> {
    const { body } = await given.client.ask(key, '{ accessRecords(first: 1000) { nodes { id } } }');
    return body.data.accessRecords.nodes.length;
  }

  it('is too high with more than five mutations, even in fragments, and then no mutation runs', async () => {
    const { company, key } = await given.service.fixtures.portfolio();
    const ask = (name: string) =>
      `${name}: requestAccess(input: {companyId: "${company.id}", scopes: [METRICS_READ]}) { outcome }`;
    const six = `mutation { ...A ...B } fragment A on Mutation { ${times(3, (i) => ask(`a${i}`))} }
      fragment B on Mutation { ${times(3, (i) => ask(`b${i}`))} }`;
    expectEnded(await given.client.ask(key, six), 'query_too_costly', 5);
    const three = `mutation { ${times(3, (i) => ask(`m${i}`))} }`;
    expectEnded(await send(key, [three, three]), 'query_too_costly', 5);
    const { body } = await given.client.ask(key, '{ accessRequests { nodes { id } } }');
    expect(body.data.accessRequests.nodes).toEqual([]);
    const five = `mutation { ${times(5, (i) => ask(`m${i}`))} }`;
    expect(codesOf(await given.client.ask(key, five))).toEqual([]);
  });
});

describe('the errors of a response', async () => {
  const given = await serve({ maxErrors: 10 });
  const lost = (count: number) => `{ ${times(count, (i) => `a${i}: company(id: "co_0") { id }`)} }`;

  it('are returned with the data up to a bound, above which the request fails', async () => {
    const { key } = await given.service.fixtures.portfolio();
    const within = await given.client.ask(key, lost(10));
    expect([within.status, codesOf(within)]).toEqual([200, Array(10).fill('company_not_found')]);
    expectEnded(await given.client.ask(key, lost(11)), 'query_too_costly', 10);
  });

  it('are counted for all operations of a batch together, including validation errors', async () => {
    const { key } = await given.service.fixtures.portfolio();
    const send = (queries: readonly string[]) =>
      given.client.send('POST', '/graphql', { key, body: queries.map((query) => ({ query })) });
    const within = await send([lost(5), '{ a b c d e }']);
    expect(within.body.map(({ errors }: { errors: unknown[] }) => errors.length)).toEqual([5, 5]);
    expectEnded(await send([lost(6), '{ a b c d e }']), 'query_too_costly', 10);
  });
});

describe('an outage', async () => {
  const given = await serve({ maxErrors: 10 }, (useCases) => ({
    ...useCases,
    readPortfolioCompany: () => Promise.reject(new Error('the disk is gone')),
  }));

  it('is reported as internal_error and logged once, even if it causes more errors than the bound', async () => {
    const { key } = await given.service.fixtures.portfolio();
    const query = `{ ${times(30, (i) => `a${i}: company(id: "co_0") { id }`)} }`;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const answer = await fetch(`${given.service.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    const { errors } = await answer.json();
    expect(answer.status).toBe(500);
    expect(errors).toMatchObject([{ extensions: { code: 'internal_error' } }]);
    expect(given.service.log.filter((line) => line.includes('the disk is gone'))).toHaveLength(1);
  });
});

describe('the bytes of a subscription', async () => {
  const given = await serve({ maxAnswerBytes: 2 * 1024 });

  it('are limited for each result, and the subscription continues after a result above the limit', async () => {
    const { fixtures, operator } = given.service;
    const made = await fixtures.readablePortfolio();
    const stream = await openStream(`${given.service.url}/graphql`, {
      method: 'POST',
      key: made.key,
      body: {
        query:
          'subscription { companyDataChanged { dataVersion sourceCount sources { provider accountName } } }',
      },
    });
    const results = () =>
      stream.events.filter(({ event }) => event === 'next').map(({ data }) => JSON.parse(data));
    await expect.poll(results).toHaveLength(1);
    const counts = [30, 30, 30, 30, 120, 30];
    for (const [round, count] of counts.entries()) {
      await importLines(
        operator,
        Array.from({ length: count }, (_, index) => ({
          type: 'source',
          company_id: made.company.id,
          provider: 'mercury',
          account_name: `Account ${round} ${index}`,
          status: 'failed',
          last_synced_at: '2026-11-01T04:00:00Z',
        })),
      );
    }
    const ofFailures = () =>
      results().filter(({ data, errors }) => errors || data.companyDataChanged?.sourceCount > 0);
    await expect.poll(() => ofFailures().length).toBe(counts.length);
    const seen = ofFailures().map(({ data, errors }) =>
      errors ? errors[0].extensions.code : data.companyDataChanged.sources.length,
    );
    expect(seen).toEqual([30, 30, 30, 30, 'query_too_costly', 30]);
    stream.leave();
  });
});

describe('the bytes of a response', async () => {
  const given = await serve({ maxAnswerBytes: 8 * 1024 });

  it('are sent up to a bound, above which the request fails', async () => {
    const { fixtures } = given.service;
    const investor = await fixtures.investor();
    const { key } = await fixtures.key(investor);
    for (let index = 0; index < 20; index += 1) await fixtures.companyOf(investor, 'x'.repeat(200));
    const names = (count: number) =>
      `{ companies { nodes { ${times(count, (i) => `n${i}: name`)} } } }`;
    const within = await given.client.ask(key, names(1));
    expect(codesOf(within)).toEqual([]);
    expectEnded(await given.client.ask(key, names(2)), 'query_too_costly', 8192);
    // One company's names alone exceed the bound, so the request fails before the answer contains a company.
    expectEnded(await given.client.ask(key, names(50)), 'query_too_costly', 8192);
  });

  it('are counted for all operations of a batch together, and for all fields of one operation', async () => {
    const { fixtures } = given.service;
    const made = await fixtures.readablePortfolio();
    const query = `{ companies { nodes { metrics { ... on CompanyMetrics { metrics { key label value source { system } } } } } } }`;
    const send = (count: number) =>
      given.client.send('POST', '/graphql', {
        key: made.key,
        body: Array.from({ length: count }, () => ({ query })),
      });
    const { length } = (await send(1)).text;
    expect(8192 / length).toBeGreaterThan(3);
    expect((await send(3)).body).toHaveLength(3);
    const long = `{ ${times(40, (i) => `a${i}: company(id: "${made.company.id}") { ...C }`)} } fragment C on Company {
      metrics { ... on CompanyMetrics { metrics { key label value source { system } } } } }`;
    for (let round = 0; round < 3; round += 1) {
      // From the second round on, the texts of the lists come from the cache.
      expectEnded(await given.client.ask(made.key, long), 'query_too_costly', 8192);
    }
  });
});
