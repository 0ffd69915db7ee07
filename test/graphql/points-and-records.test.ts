import { expect, it } from 'vitest';
import type { Scope } from '#core';
import { writeNodeId } from '../../graphql-adapter/node-ids.ts';
import { closedAfterAll } from '../support/closed.ts';
import { allScopes } from '../support/contract.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { type Answer, createHttpClient, type Json } from '../support/http-client.ts';
import { serveGraphql } from './support.ts';

const { service, client } = await serveGraphql();
const http = await closedAfterAll(createHttpClient(service.url));
const limit = 1000;

interface Ids {
  readonly granted: string;
  readonly pending: string;
}

interface Shape {
  readonly name: string;
  /** A string is one GraphQL document, and an array is a batch of documents. */
  readonly ask: (ids: Ids) => string | readonly string[] | { readonly trpc: readonly Call[] };
  readonly method?: 'GET' | 'POST';
  readonly scopes?: readonly Scope[];
  readonly records: number;
  /** Defaults to the number of records. */
  readonly points?: number;
}

type Call = readonly [name: string, input?: object];

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const metricsOfAll = '{ companies { nodes { metrics { __typename } } } }';
const aliased = ({ granted }: Ids) =>
  `{ company(id: "${granted}") { ${times(3, (i) => `a${i}: metrics { __typename }`)} } }`;
const nodesOf = (name: string, id: string) =>
  [
    writeNodeId('metric', id, 'cash_balance'),
    writeNodeId('source', id, 'mercury', 'Operating account'),
    writeNodeId('account', id, 'acc_1'),
  ]
    .map((node, index) => `${name}${index}: node(id: "${node}") { id }`)
    .join(' ');
const asking = (id: string, fields: string) =>
  `requestAccess(input: {companyId: "${id}", scopes: [METRICS_READ]}) ${fields}`;

/** Two of the four companies have granted everything, one has a pending request, and one has none. */
const shapes: readonly Shape[] = [
  {
    name: 'no company',
    ask: () => '{ viewer { scopes } companies { nodes { id access { status request { id } } } } }',
    records: 0,
    points: 1,
  },
  { name: 'one field of every company', ask: () => metricsOfAll, records: 4 },
  {
    name: 'every field of every company',
    ask: () => `{ companies { nodes { metrics { __typename } metric(key: "headcount") { __typename }
      sources { __typename } accounts { __typename } } } }`,
    records: 16,
  },
  {
    name: 'histories within metrics within companies',
    ask: () =>
      `{ companies { nodes { metrics { ... on CompanyMetrics { metrics { history { value } } } } } } }`,
    records: 4 + 2 * 2,
  },
  {
    name: 'histories of several metrics at once',
    ask: () => `{ companies { nodes { metricHistories(keys: ["cash_balance", "headcount", "none"]) {
      ... on MetricHistories { histories { key values { value } } } } } } }`,
    records: 4,
  },
  {
    name: 'several histories at once, one of them with a corrected value',
    ask: ({ granted }) => `{ company(id: "${granted}") { metricHistories(keys: ["cash_balance"]) {
      ... on MetricHistories { histories { values { revisions { value } } } } } } }`,
    records: 1 + 3,
  },
  {
    name: 'objects of every type by their IDs',
    ask: ({ granted, pending }) => `{
      company: node(id: "${granted}") { ... on Company { sources { __typename } } }
      nothing: node(id: "metric_nothing") { id }
      ${nodesOf('granted', granted)} ${nodesOf('pending', pending)} ${nodesOf('none', 'co_none')} }`,
    records: 1 + 3 * 3,
  },
  {
    name: 'revisions of a metric, and of each value of its history',
    ask: () => `{ companies { nodes { metric(key: "cash_balance") { ... on Metric {
      revisions { value } history { revisions { value } } } } } } }`,
    records: 4 + 2 * (1 + 1 + 3),
  },
  { name: 'aliases', ask: aliased, records: 3 },
  {
    name: 'fragments',
    ask: () => `{ companies { nodes { ...A } } } fragment A on Company { ...B sources { __typename } }
      fragment B on Company { ... on Company { accounts { __typename } } sources { __typename } }`,
    records: 8,
  },
  {
    name: 'companies of access requests',
    ask: () => '{ accessRequests { nodes { company { sources { __typename } } } } }',
    records: 3,
    points: 1 + 3,
  },
  { name: 'a GET', ask: () => metricsOfAll, method: 'GET', records: 4 },
  {
    name: 'reads that the scope refuses',
    ask: () => '{ companies { nodes { metrics { __typename } sources { __typename } } } }',
    scopes: ['companies:read'],
    records: 8,
  },
  {
    name: 'companies outside the portfolio',
    ask: () => `{ ${times(3, (i) => `a${i}: company(id: "co_${i}") { metrics { __typename } }`)} }`,
    scopes: ['metrics:read'],
    records: 3,
  },
  {
    name: 'mutations',
    ask: ({ granted, pending }) =>
      `mutation { a: ${asking(granted, '{ outcome }')} b: ${asking(pending, '{ outcome }')}
        c: ${asking('co_none', '{ outcome }')} }`,
    records: 0,
    points: 3,
  },
  {
    name: 'pages of access requests',
    ask: () => `{ ${times(3, (i) => `a${i}: accessRequests(first: ${i}) { nodes { id } }`)} }`,
    records: 0,
    points: 3,
  },
  {
    name: 'the histories of all access requests',
    ask: () => '{ accessRequests { nodes { history { type } } } }',
    records: 0,
    points: 1,
  },
  {
    name: 'mutations of requests that do not exist',
    ask: () =>
      `mutation { a: amendAccessRequest(input: {id: "ar_0", scopes: [METRICS_READ]}) { __typename }
        b: withdrawAccessRequest(input: {id: "ar_0"}) { __typename } }`,
    records: 0,
    points: 2,
  },
  {
    name: 'a mutation that returns company data',
    ask: ({ granted }) =>
      `mutation { ${asking(granted, '{ accessRequest { company { metrics { __typename } accounts { __typename } } } }')} }`,
    records: 2,
    points: 3,
  },
  {
    name: 'a batch of different operations',
    ask: (ids) => [
      metricsOfAll,
      '{ __typename }',
      aliased(ids),
      '{',
      `mutation { ${asking(ids.pending, '{ outcome }')} }`,
    ],
    records: 4 + 3,
    points: 4 + 1 + 3 + 1 + 1,
  },
  { name: 'a document that can’t be parsed', ask: () => '{', records: 0, points: 1 },
  { name: 'an unknown field', ask: () => '{ nothing }', records: 0, points: 1 },
  { name: 'a batch of ten', ask: () => Array(10).fill(metricsOfAll), records: 40 },
  {
    name: 'a request that is too costly',
    ask: () =>
      `{ ${times(49, (i) => `a${i}: companies { nodes { metrics { __typename } sources { __typename } } }`)} }`,
    records: 0,
    points: 1,
  },
  {
    name: 'one call of tRPC',
    ask: ({ granted }) => ({ trpc: [['metrics.latest', { companyId: granted }]] }),
    records: 1,
  },
  {
    name: 'a batch of tRPC, with refusals of every kind',
    ask: ({ granted, pending }) => ({
      trpc: [
        ['metrics.latest', { companyId: granted }],
        ['metrics.byKey', { companyId: granted, key: 'none' }],
        ['metrics.history', { companyId: granted, key: 'cash_balance' }],
        ['sources.list', { companyId: pending }],
        ['accounts.list', { companyId: 'co_none' }],
        ['accounts.list'],
        ['nowhere'],
        ['companies.list'],
      ],
    }),
    records: 5,
    points: 8,
  },
  {
    name: 'a batch of twenty calls of tRPC for one company',
    ask: ({ pending }) => ({ trpc: Array(20).fill(['metrics.latest', { companyId: pending }]) }),
    records: 20,
  },
];

const { fixtures, operator } = service;
const { investor, key: reader, company } = await fixtures.readablePortfolio();
const second = await fixtures.companyOf(investor);
await importLines(operator, sampleData(second.id));
await fixtures.grant({ key: reader, company: second });
const pending = await fixtures.companyOf(investor);
await fixtures.request(reader, pending.id);
await fixtures.companyOf(investor);
const ids: Ids = { granted: company.id, pending: pending.id };

function send(key: string, { ask, method = 'POST' }: Shape): Promise<Answer> {
  const asked = ask(ids);
  if (typeof asked === 'object' && 'trpc' in asked) {
    const inputs = asked.trpc.map(([, input], index) => [index, input]);
    const body = asked.trpc.length > 1 ? Object.fromEntries(inputs) : asked.trpc[0]?.[1];
    const path = `/trpc/${asked.trpc.map(([name]) => name).join()}`;
    const batch = asked.trpc.length > 1 ? '?batch=1' : '';
    // tRPC errors have another form, so the checks of the GraphQL client don't apply.
    return http.call('POST', path + batch, { key, body });
  }
  if (method === 'GET') {
    return client.send('GET', `/graphql?${new URLSearchParams({ query: String(asked) })}`, { key });
  }
  const body = typeof asked === 'string' ? { query: asked } : asked.map((query) => ({ query }));
  return client.send('POST', '/graphql', { key, body });
}

async function recordsOf(keyId: string): Promise<{ rows: number; reads: number }> {
  const query = '{ accessRecords(first: 1000) { nodes { keyId count } } }';
  const { nodes } = (await client.ask(reader, query)).body.data.accessRecords;
  const own = nodes.filter((record: Json) => record.keyId === keyId);
  return { rows: own.length, reads: own.reduce((sum: number, { count }: Json) => sum + count, 0) };
}

it.each(shapes)(
  'each HTTP request costs one point per recorded read, and at least one point: $name',
  async (shape) => {
    const { key, keyId } = await fixtures.key(investor, {
      scopes: shape.scopes ?? allScopes,
      rateLimit: limit,
    });
    const { headers } = await send(key, shape);
    const points = limit - Number(headers['ratelimit-remaining']);
    // Refusals are recorded shortly after the answer was sent.
    await expect.poll(async () => (await recordsOf(keyId)).reads).toBe(shape.records);
    expect(points).toBe(shape.points ?? shape.records);
    expect(points).toBeGreaterThanOrEqual((await recordsOf(keyId)).rows);
  },
);
