import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Collector, startCollector } from '../gateway/tracing/collector.ts';
import { startReceiver } from '../gateway/webhooks/receiver.ts';
import { createMigratedDataDir, type DataDir } from '../support/databases.ts';
import { openStream } from '../support/event-stream.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';

const repository = join(import.meta.dirname, '../..');
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentSpanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${parentSpanId}-01`;

const opened = new AsyncDisposableStack();
afterEach(killLeftovers);
afterAll(() => opened.disposeAsync());

interface Demo {
  readonly service: RunningService;
  readonly client: HttpClient;
  readonly key: string;
  readonly companyKey: string;
}

/** The demo, in a process that says which modules of OpenTelemetry it loads. */
async function startDemo(environment: Record<string, string> = {}): Promise<Demo> {
  const dataDir: DataDir = await createMigratedDataDir();
  opened.defer(dataDir.remove);
  const hooks = join(repository, 'test/gateway/tracing/report-modules.mjs');
  const service = await startServiceProcess(
    { DATA_DIR: dataDir.path, DEMO: 'on', WEBHOOK_ALLOW_PRIVATE: 'on', ...environment },
    [process.execPath, '--import', hooks, join(repository, 'gateway/main.ts')],
  );
  const client = createHttpClient(service.url);
  opened.defer(() => client.close());
  const key = (await service.waitFor(/^ +svc_sk_test_\w+$/)).trim();
  const companyKey = /svc_ck_test_\w{32}/.exec(await service.waitFor(/svc_ck_test_/))?.[0] ?? '';
  return { service, client, key, companyKey };
}

const read = ({ client, key }: Demo, headers = {}) =>
  client.call('GET', '/v1/companies/co_harbor/metrics', { key, headers });

const requestLines = ({ service }: Demo) =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));

test('without configuration nothing of OpenTelemetry is loaded, and a valid trace is in the log', async () => {
  const demo = await startDemo();
  await read(demo, { traceparent });
  await read(demo, { traceparent: 'made up' });
  await read(demo);
  expect(await demo.service.stop()).toEqual({ code: 0, signal: null });
  expect(demo.service.output()).not.toContain('loaded ');
  expect(requestLines(demo).map((line) => line.trace_id)).toEqual([traceId, undefined, undefined]);
});

test('with metrics alone nothing but its API is loaded, which the library of metrics brings', async () => {
  const demo = await startDemo({ METRICS_PORT: '0' });
  await demo.service.stop();
  const packages = demo.service.output().matchAll(/^loaded .*@opentelemetry\/([\w-]+)/gm);
  expect(new Set([...packages].map(([, name]) => name))).toEqual(new Set(['api']));
});

describe('with a collector', () => {
  async function collect(work: (demo: Demo, collector: Collector) => Promise<unknown>) {
    const collector = await startCollector();
    opened.defer(() => collector.close());
    const demo = await startDemo({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
    });
    await work(demo, collector);
    expect(await demo.service.stop()).toEqual({ code: 0, signal: null });
    return { demo, collector };
  }

  test('a request of each protocol is a span in the trace of its caller', async () => {
    const { demo, collector } = await collect(async ({ client, key }) => {
      const headers = { traceparent };
      await client.call('GET', '/v1/companies/co_harbor/metrics', { key, headers });
      await client.call('GET', '/v1/companies/co_none/metrics', { key, headers });
      const query =
        '{ a: company(id: "co_harbor") { metrics { __typename } } companies { nodes { name } } }';
      await client.call('POST', '/graphql', { key, headers, body: { query } });
      await client.call('POST', '/trpc/metrics.latest?batch=1', {
        key,
        headers,
        body: { 0: { companyId: 'co_harbor' } },
      });
      const input = encodeURIComponent(JSON.stringify({ 0: { companyId: 'co_none' } }));
      const path = `/trpc/metrics.latest,companies.list?batch=1&input=${input}`;
      await client.call('GET', path, { key, headers });
    });
    const requests = collector.spans.filter((span) => span.parentSpanId === parentSpanId);
    expect(requests.map(({ name }) => name)).toEqual([
      'rest listMetrics',
      'rest listMetrics',
      'graphql several',
      'trpc metrics.latest',
      'trpc batch',
    ]);
    expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(requests[1]?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/v1/companies/:id/metrics',
      'http.response.status_code': 404,
      'portfolio_access.outcome': 'company_not_found',
      'portfolio_access.key_id': expect.stringMatching(/^key_/),
      'portfolio_access.investor_id': expect.stringMatching(/^inv_/),
    });
    expect(requests[4]?.attributes['portfolio_access.calls']).toEqual([
      'metrics.latest company_not_found',
      'companies.list ok',
    ]);
    for (const request of requests) {
      const parts = collector.spans.filter((span) => span.parentSpanId === request.spanId);
      const names = parts.map(({ name }) => name);
      expect(names, request.name).toEqual(expect.arrayContaining(['rate limit', 'database keys']));
      for (const { milliseconds } of parts) {
        expect(milliseconds).toBeLessThanOrEqual(request.milliseconds + 1);
      }
      // The access record of a refusal is written later.
      const isRefused = request === requests[1] || request === requests[4];
      expect(names.includes('database access_records'), request.name).toBe(!isRefused);
    }
    const ids = requests.map(({ attributes }) => attributes['portfolio_access.request_id']);
    expect(requestLines(demo).map((line) => line.request_id)).toEqual(ids);
    expect(collector.resource).toMatchObject({
      'service.name': 'portfolio-access',
      'deployment.environment.name': 'staging',
    });
    // Neither keys nor paths, values or names of companies.
    const sent = Buffer.concat(collector.received).toString('latin1');
    expect(sent).not.toMatch(/svc_sk_|co_harbor|co_none|Harbor/);
  });

  test('a request without a trace begins one, which is in its log line', async () => {
    const { demo, collector } = await collect((one) => read(one));
    const [span] = collector.spans.filter(({ name }) => name === 'rest listMetrics');
    expect(span?.parentSpanId).toBe('');
    expect(requestLines(demo).map((line) => line.trace_id)).toEqual([span?.traceId]);
  });

  test('the span of an event stream ends as it opens', async () => {
    const { collector } = await collect(async ({ service, key }, { received }) => {
      const stream = await openStream(`${service.url}/v1/events`, { key });
      await expect.poll(() => received.length).toBeGreaterThan(0);
      stream.leave();
    });
    const names = collector.spans.filter(({ parentSpanId }) => parentSpanId === '');
    expect(names).toMatchObject([
      { name: 'rest listEvents', attributes: { 'portfolio_access.outcome': 'ok' } },
    ]);
  });

  test('a caller that takes no part in sampling is not traced', async () => {
    const { collector } = await collect((one) =>
      read(one, { traceparent: traceparent.replace(/1$/, '0') }),
    );
    expect(collector.spans).toEqual([]);
  });

  test('a webhook has a trace of its own, which its receiver gets', async () => {
    const receiver = await startReceiver();
    opened.defer(() => receiver.close());
    const { collector } = await collect(async ({ client, companyKey: key }) => {
      const body = { url: `${receiver.url}/secret-path` };
      const path = '/company/v1/webhook-endpoints';
      const { id } = (await client.call('POST', path, { key, body })).body;
      await client.call('POST', `${path}/${id}/test`, { key });
    });
    const [call] = receiver.calls;
    const [span] = collector.spans.filter(({ name }) => name === 'webhook');
    expect(call?.headers.traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
    expect(span?.parentSpanId).toBe('');
    expect(span?.attributes).toMatchObject({
      'http.response.status_code': 204,
      'server.address': `127.0.0.1:${receiver.port}`,
      'portfolio_access.event_id': expect.stringMatching(/^evt_/),
    });
    expect(Buffer.concat(collector.received).toString('latin1')).not.toContain('secret-path');
  });
});

test.each(['hangs', 'is away'])(
  'a collector that %s costs callers nothing, and one line',
  async (state) => {
    const collector = await startCollector({ hangs: true });
    if (state === 'hangs') opened.defer(() => collector.close());
    else await collector.close();
    const demo = await startDemo({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    expect((await read(demo)).status).toBe(200);
    await demo.service.waitFor(/takes no traces/);
    expect((await read(demo)).status).toBe(200);
    expect(await demo.service.stop()).toEqual({ code: 0, signal: null });
    expect(demo.service.output().match(/takes no traces/g)).toHaveLength(1);
  },
);

test('a service that is told to stop does not wait for a collector that hangs', async () => {
  const collector = await startCollector({ hangs: true });
  opened.defer(() => collector.close());
  const demo = await startDemo({
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  expect((await read(demo)).status).toBe(200);
  expect(await demo.service.stop()).toEqual({ code: 0, signal: null });
  expect(collector.received).toHaveLength(1);
});
