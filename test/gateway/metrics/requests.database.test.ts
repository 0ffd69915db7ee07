import { once } from 'node:events';
import http from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '#core';
import { createGraphqlSchema } from '#graphql-adapter';
import { errorCodes } from '#http';
import type { Metrics } from '../../../gateway/metrics/index.ts';
import { tools } from '../../../mcp-adapter/tools.ts';
import { appRouter } from '../../../trpc-adapter/router.ts';
import { embedded, postgres } from '../../support/backends.ts';
import { openStream } from '../../support/event-stream.ts';
import type { Portfolio } from '../../support/fixtures.ts';
import { createHttpClient, type HttpClient } from '../../support/http-client.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { startService, type TestService } from '../../support/service.ts';
import { newMetrics, type Sample, samplesOf } from './samples.ts';

describe('the metric of HTTP requests', () => {
  let service: TestService;
  let metrics: Metrics;
  let release: () => Promise<void>;
  let portfolio: Portfolio;
  let scopeless: string;
  /** Other tests check the responses. */
  let client: HttpClient;

  beforeAll(async () => {
    const usable = postgres.isUnreachable ? embedded : postgres;
    const opened = await usable.open();
    release = opened.release;
    metrics = newMetrics();
    const environment = { RATE_LIMIT_POINTS: '1000000', GRAPHQL_INTROSPECTION: 'on' };
    service = await startService({ storage: opened.storage, metrics, environment });
    client = createHttpClient(service.url);
    portfolio = await service.fixtures.readablePortfolio();
    scopeless = (await service.fixtures.key(portfolio.investor, { scopes: ['reports:read'] })).key;
  });
  afterAll(async () => {
    client?.close();
    await service?.close();
    await release?.();
  });

  async function counted(name: string, work: () => Promise<unknown>): Promise<string[]> {
    const countsOf = async () =>
      new Map(
        (await samplesOf(metrics))
          .filter((sample) => sample.name === name)
          .map(({ labels, value }) => [Object.values(labels).join(' '), value]),
      );
    const before = await countsOf();
    await work();
    const after = [...(await countsOf())].map(
      ([labels, value]) => [labels, value - (before.get(labels) ?? 0)] as const,
    );
    return after.flatMap(([labels, more]) => Array<string>(more).fill(labels)).toSorted();
  }
  const samplesWith = async (name: string) =>
    (await samplesOf(metrics)).filter((sample) => sample.name === name);
  const requests = (work: () => Promise<unknown>) => counted('requests_total', work);

  const get = (path: string, key: string | null = null) => client.call('GET', path, { key });
  const post = (path: string, key: string, body: unknown, headers = {}) =>
    client.call('POST', path, { key, body, headers });
  const graphql = (key: string, body: unknown) => post('/graphql', key, body);
  const company = () => portfolio.company.id;

  it('counts REST requests by operation and error code', async () => {
    const path = `/v1/companies/${company()}/metrics`;
    expect(
      await requests(async () => {
        await get(path, portfolio.key);
        await get(path, scopeless);
        await get(path, 'svc_sk_live_made_up');
        await get('/v1/made-up', portfolio.key);
        await client.call('PUT', '/v1/companies', { key: portfolio.key });
        await get('/healthz');
        await get('/docs/made-up');
      }),
    ).toEqual([
      'other health ok',
      'other other route_not_found',
      'rest listMetrics insufficient_scope',
      'rest listMetrics invalid_api_key',
      'rest listMetrics ok',
      'rest other method_not_allowed',
      'rest other route_not_found',
    ]);
  });

  it('counts each GraphQL operation by its result, although the HTTP status is always 200', async () => {
    const { key } = portfolio;
    const failing = '{ company(id: "co_none") { id } metricsOf: companies { nodes { id } } }';
    expect(
      await requests(async () => {
        await graphql(key, { query: 'query MadeUp { mine: viewer { environment } }' });
        await graphql(key, { query: `${failing} fragment F on Query { viewer { environment } }` });
        await graphql(key, { query: '{ ...F } fragment F on Query { viewer { environment } }' });
        await graphql(key, { query: '{ noSuchField }' });
        await graphql(key, { query: '{ __schema { queryType { name } } }' });
        await graphql(scopeless, { query: '{ companies { nodes { id } } }' });
        await graphql(key, [
          { query: '{ viewer { environment } }' },
          { query: '{ made up' },
          { query: '{ viewer { environment } companies { nodes { id } } }' },
        ]);
        await graphql(key, { query: 4 });
      }),
    ).toEqual(
      [
        'graphql companies insufficient_scope',
        'graphql introspection ok',
        'graphql other invalid_parameter',
        'graphql other invalid_query',
        'graphql other invalid_query',
        'graphql other invalid_query',
        'graphql several ok',
        'graphql viewer ok',
        'graphql viewer ok',
        'graphql viewer ok',
      ].toSorted(),
    );
  });

  it('counts each tRPC call in a batch, with and without streaming', async () => {
    const { key } = portfolio;
    const input = encodeURIComponent(
      JSON.stringify({ 0: { companyId: company() }, 1: { companyId: 'co_none' }, 2: {} }),
    );
    const path = `/trpc/metrics.latest,metrics.latest,made.up?batch=1&input=${input}`;
    const calls = [
      'trpc metrics.latest company_not_found',
      'trpc metrics.latest ok',
      'trpc other route_not_found',
    ];
    expect(await requests(() => get(path, key))).toEqual(calls);
    const headers = { 'trpc-accept': 'application/jsonl' };
    expect(await requests(() => client.call('GET', path, { key, headers }))).toEqual(calls);
    expect(await requests(() => get(path, 'made-up'))).toEqual(['trpc batch invalid_api_key']);
    expect(
      await requests(async () => {
        await get('/trpc/companies.list', key);
        await get('/trpc/companies.list', 'made-up');
        await get('/trpc/made.up', key);
      }),
    ).toEqual([
      'trpc companies.list invalid_api_key',
      'trpc companies.list ok',
      'trpc other route_not_found',
    ]);
  });

  it('counts MCP requests by tool', async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const send = (method: string, params: object) =>
      post('/mcp', portfolio.key, { jsonrpc: '2.0', id: 1, method, params }, headers);
    const call = (name: string, input: object) => send('tools/call', { name, arguments: input });
    expect(
      await requests(async () => {
        await call('read_metrics', { companyId: company() });
        await call('read_metrics', { companyId: 'co_none' });
        await call('made_up', {});
        await send('tools/list', {});
        await send('made/up', {});
      }),
    ).toEqual([
      'mcp other route_not_found',
      'mcp other route_not_found',
      'mcp read_metrics company_not_found',
      'mcp read_metrics ok',
      'mcp tools/list ok',
    ]);
  });

  it('counts requests to the company API and to the desk', async () => {
    const { key } = await service.fixtures.companyKey(company());
    expect(
      await requests(async () => {
        await get('/company/v1/access-requests', key);
        await get('/company/v1/access-requests', portfolio.key);
        await fetch(`${service.url}/desk/`, { redirect: 'manual' });
        await fetch(`${service.url}/desk/sign-in`);
      }),
    ).toEqual([
      'company listAccessRequests invalid_api_key',
      'company listAccessRequests ok',
      'desk GET / missing_api_key',
      'desk GET /sign-in ok',
    ]);
  });

  it('counts each access decision, in REST requests and within GraphQL queries', async () => {
    const query = `{ a: company(id: "${company()}") { metrics { ... on AccessRefusal { code } } } }`;
    const asking = await service.fixtures.portfolio();
    expect(
      await counted('access_decisions_total', async () => {
        await graphql(portfolio.key, { query });
        await graphql(asking.key, { query: query.replace(company(), asking.company.id) });
        await get(`/v1/companies/${company()}/sources`, portfolio.key);
      }),
    ).toEqual([
      'graphql metrics access_required',
      'graphql metrics allowed',
      'rest sources allowed',
    ]);
  });

  it('measures the duration of requests by outcome, and the size of batches', async () => {
    const countOf = (name: string) => () =>
      counted(name, async () => {
        await get('/v1/companies', portfolio.key);
        await get('/v1/companies', 'made-up');
        await graphql(portfolio.key, [{ query: '{ viewer { environment } }' }, { query: '{' }]);
      });
    expect(await countOf('http_request_duration_seconds_count')()).toEqual([
      'graphql refused',
      'rest ok',
      'rest refused',
    ]);
    expect(await countOf('http_batch_size_count')()).toEqual(['graphql']);
    expect(await countOf('http_batch_size_sum')()).toEqual(['graphql', 'graphql']);
  });

  it('counts an event stream when its client disconnects, but doesn’t measure its duration', async () => {
    const url = `${service.url}/v1/events`;
    const durations = async () => samplesWith('http_request_duration_seconds_count');
    const before = await durations();
    expect(
      await requests(async () => {
        const stream = await openStream(url, { key: portfolio.key });
        stream.leave();
        await stream.ended;
        await expect.poll(() => service.eventFeed.size).toBe(0);
      }),
    ).toEqual(['rest listEvents ok']);
    expect(await durations()).toEqual(before);
  });

  it('counts a request as aborted if its client disconnects before the response', async () => {
    const { hostname, port } = new URL(service.url);
    const headers = { authorization: `Bearer ${portfolio.key}` };
    const aborted = async () =>
      (await samplesOf(metrics)).filter(
        ({ name, labels }) => name === 'requests_total' && labels.outcome === 'aborted',
      );
    const arrived = once(service.app.server, 'request');
    const leaving = http.request({ hostname, port, path: '/graphql', method: 'POST', headers });
    leaving.on('error', () => undefined);
    leaving.setHeader('content-type', 'application/json');
    leaving.setHeader('content-length', '100');
    leaving.write('{');
    await arrived;
    leaving.destroy();
    await expect.poll(aborted).toMatchObject([{ labels: { protocol: 'graphql' }, value: 1 }]);
  });

  describe('the labels', () => {
    const idsOf = (document: { paths: Record<string, Record<string, { operationId?: string }>> }) =>
      Object.values(document.paths).flatMap((path) =>
        Object.values(path).flatMap(({ operationId }) => operationId ?? []),
      );
    const codes = new Set<string>(['ok', 'aborted', 'other', ...errorCodes]);

    function operations(): Readonly<Record<string, ReadonlySet<string>>> {
      const schema = createGraphqlSchema();
      const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
      const fields = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
      const ofMcp = ['initialize', 'notifications/initialized', 'ping', 'server/discover'];
      return {
        rest: new Set([...idsOf(service.document), 'openapi', 'other']),
        company: new Set([...idsOf(service.companyDocument), 'openapi', 'other']),
        graphql: new Set([...fields, 'several', 'introspection', 'graphiql', 'schema', 'other']),
        trpc: new Set([...Object.keys(appRouter._def.procedures), 'batch', 'other']),
        mcp: new Set([...tools.map(({ name }) => name), ...ofMcp, 'tools/list', 'other']),
        other: new Set(['health', 'docs', 'jwks', 'other']),
      };
    }

    function check(samples: readonly Sample[]): void {
      const known = operations();
      for (const { name, labels } of samples) {
        const { protocol = '', operation = '', outcome = '', resource = '' } = labels;
        if (name === 'requests_total') {
          expect(codes).toContain(outcome);
          if (protocol === 'desk')
            expect(operation).toMatch(/^((GET|POST) \/[\w/:.-]*|assets|other)$/);
          else expect(known[protocol], protocol).toContain(operation);
        }
        if (name === 'access_decisions_total') expect(resources).toContain(resource);
      }
    }

    const name = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'a\nb', '"', '{}', '\\'),
    );
    const graphqlName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/);

    it('have only known values, even if callers invent operations and paths', async () => {
      const headers = { accept: 'application/json, text/event-stream' };
      await fc.assert(
        fc.asyncProperty(name, graphqlName, async (text, word) => {
          const { key } = portfolio;
          const encoded = encodeURIComponent(text.toWellFormed());
          const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
          await Promise.all([
            graphql(key, { query: `query ${word} { ${word}: viewer { environment } }` }),
            graphql(key, { query: `{ ${word} }`, operationName: text }),
            graphql(key, [{ query: `{ ${word} }` }, { query: `{ ...${word} }` }]),
            get(`/trpc/${encoded}`, key),
            get(`/trpc/${encoded},companies.list?batch=1`, key),
            post('/mcp', key, { ...call, params: { name: text } }, headers),
            post('/mcp', key, { ...call, method: text, params: {} }, headers),
            get(`/v1/${encoded}`, key),
            get(`/v1/companies/${encoded}/metrics/${encoded}`, key),
            get(`/desk/${encoded}`),
            get(`/docs/${encoded}`),
          ]);
        }),
        { numRuns: propertyRuns(100) },
      );
      check(await samplesOf(metrics));
    });

    it('create at most as many time series as docs/operations.md states', () => {
      const known = Object.values(operations()).reduce((sum, { size }) => sum + size, 0);
      // Each route of the desk counts as an operation.
      expect((known + 60) * codes.size).toBeLessThan(13_000);
    });
  });
});
