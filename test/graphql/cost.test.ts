import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createGraphqlSchema } from '#graphql-adapter';
import { estimateCost } from '../../graphql-adapter/limits/operation-cost.ts';
import { defaultBounds } from '../../graphql-adapter/settings.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { Answer } from '../support/http-client.ts';
import { codesOf, serveGraphql } from './support.ts';

const schema = createGraphqlSchema();

const estimate = (query: string, variableValues: Record<string, unknown> = {}) =>
  estimateCost({ schema, document: parse(query), variableValues });

describe('the estimated cost of an operation', () => {
  const historyOf = (companies: string, metrics: string, history: string) => `
    { companies${companies} { nodes { metrics${metrics} { ... on CompanyMetrics { metrics {
      history${history} { value } } } } } } }`;

  it.each([
    ['no arguments', '', '', '', 100, 20, 36],
    ['a page', '(first: 50)', '', '', 50, 20, 36],
    ['the last companies of a page', '(last: 7)', '', '', 7, 20, 36],
    ['companies by id', '(ids: ["co_1", "co_2"])', '', '', 2, 20, 36],
    ['some metrics', '(first: 50)', '(keys: ["arr", "mrr", "arr"])', '', 50, 2, 36],
    ['no metric', '(first: 50)', '(keys: [])', '', 50, 0, 36],
    ['some days', '(first: 1)', '', '(from: "2026-01-01", to: "2026-01-07")', 1, 20, 7],
    [
      'an end before the start',
      '(first: 1)',
      '',
      '(from: "2026-01-07", to: "2026-01-01")',
      1,
      20,
      0,
    ],
    ['years', '(first: 1)', '', '(from: "2016-01-01", to: "2026-01-01")', 1, 20, 36],
  ])('depends on its arguments: %s', (_name, companies, metrics, history, all, each, values) => {
    expect(estimate(historyOf(companies, metrics, history))).toEqual({
      values: 2 + all * (2 + each * (1 + values)),
      reads: 1 + all + all * each,
      mutations: 0,
    });
  });

  it.each([
    ['two different keys', '(keys: ["a", "b", "b"])', 2, 36],
    ['some days', '(keys: ["a", "b", "c"], from: "2026-01-01", to: "2026-01-07")', 3, 7],
    ['repeated keys', `(keys: [${'"x" '.repeat(3)}"a" "b"])`, 3, 36],
  ])('includes one read for all histories of a company: %s', (_name, given, keys, values) => {
    const query = `{ companies(first: 50) { nodes { metricHistories${given} {
      ... on MetricHistories { histories { values { value } } } } } } }`;
    expect(estimate(query)).toEqual({
      values: 2 + 50 * (2 + keys * (1 + values)),
      reads: 1 + 50,
      mutations: 0,
    });
  });

  it('depends on the variables of each run, including defaults and null', () => {
    const query = `query ($first: Int = 3, $keys: [String!], $with: Boolean = true) {
      companies(first: $first) { nodes {
        metrics(keys: $keys) @include(if: $with) { ... on CompanyMetrics { metrics { key } } } } } }`;
    const document = parse(query);
    const readsOf = (variableValues: Record<string, unknown>) =>
      estimateCost({ schema, document, variableValues }).reads;
    expect(readsOf({})).toBe(4);
    expect(readsOf({ first: 50 })).toBe(51);
    expect(readsOf({ first: 50, with: false })).toBe(1);
    expect(readsOf({ first: null })).toBe(101);
    const { values } = estimateCost({ schema, document, variableValues: { keys: ['a'] } });
    expect(values).toBe(2 + 3 * 3);
  });

  it('is zero if no operation can run', () => {
    expect(estimate('query A { companies { nodes { id } } } query B { __typename }')).toEqual({
      values: 0,
      reads: 0,
      mutations: 0,
    });
    expect(
      estimate('query ($first: Int) { companies(first: $first) { nodes { id } } }', { first: 'x' })
        .values,
    ).toBe(0);
  });

  it('assumes ten items for a list of unknown length', () => {
    const other = buildSchema('type Query { things: [Thing] } type Thing { id: ID }');
    const document = parse('{ things { id } }');
    expect(estimateCost({ schema: other, document }).values).toBe(11);
  });
});

describe('the cost of an operation', async () => {
  const { service, client } = await serveGraphql();

  /** A key with the default rate limit, and this many companies that it may read. */
  async function portfolioOf(count: number) {
    const { fixtures, operator } = service;
    const investor = await fixtures.investor();
    const { key: asking } = await fixtures.key(investor);
    for (let index = 0; index < count; index++) {
      const company = await fixtures.companyOf(investor);
      await importLines(operator, sampleData(company.id));
      await fixtures.grant({ key: asking, company });
    }
    return { investor, ...(await fixtures.key(investor)) };
  }

  it('is in every response with its limits and points, unless the client turns it off', async () => {
    const { key } = await portfolioOf(2);
    const query = '{ companies(first: 5) { nodes { metrics { __typename } } } }';
    const send = async (body: object) =>
      JSON.parse((await client.send('POST', '/graphql', { key, body })).text);
    const ask = (extensions: object) => send({ query, extensions });
    const { maxCost, maxReads, maxMutations } = defaultBounds;
    const told = {
      cost: {
        estimated: { values: 12, reads: 6, mutations: 0 },
        limit: { values: maxCost, reads: maxReads, mutations: maxMutations },
        points: 2,
      },
    };
    expect((await ask({})).extensions).toEqual(told);
    expect((await ask({ cost: true })).extensions).toEqual(told);
    expect((await ask({ cost: false })).extensions).toBeUndefined();
    expect((await ask({ cost: 'yes' })).errors[0].extensions.code).toBe('invalid_parameter');
    const batch = [{ query }, { query: '{ __typename }', extensions: { cost: false } }];
    const [first, second] = await send(batch);
    expect(first.extensions).toEqual(told);
    expect(second).toEqual({ data: { __typename: 'Query' } });
  });

  it('is in the error of an operation that is too costly', async () => {
    const { key } = await portfolioOf(0);
    const query = `{ companies(first: 200) { nodes { metrics { ... on CompanyMetrics { metrics {
      history { value } } } } } } }`;
    const { body } = await client.ask(key, query);
    expect(codesOf({ body } as Answer)).toEqual(['query_too_costly']);
    const { maxCost, maxReads, maxMutations } = defaultBounds;
    expect(body.errors[0].extensions.cost).toEqual({
      estimated: estimate(query),
      limit: { values: maxCost, reads: maxReads, mutations: maxMutations },
    });
  });
});
