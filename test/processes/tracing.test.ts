// @module-tag full
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Collector, startCollector } from '../gateway/tracing/collector.ts';
import { startReceiver } from '../gateway/webhooks/receiver.ts';
import { openStream } from '../support/event-stream.ts';
import { killLeftovers } from '../support/processes.ts';
import { callerSpanId, newTrace, openWorld, requestLines, type Started } from './traced-service.ts';

const opened = new AsyncDisposableStack();

describe('with a collector', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  let collector: Collector;
  let started: Started;
  const callers = new Set<string>();

  beforeAll(async () => {
    world = await openWorld(opened);
    collector = await startCollector();
    opened.defer(() => collector.close());
    started = await world.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
    });
  });
  afterAll(async () => {
    killLeftovers();
    await opened.disposeAsync();
  });

  function trace(flags?: string) {
    const made = newTrace(flags);
    callers.add(made.traceId);
    return made;
  }

  const spansOf = (traceId: string | undefined) =>
    collector.spans.filter((span) => span.traceId === traceId);

  /** Spans are sent every five seconds, in the order of their ends. */
  async function untilSent(): Promise<void> {
    const { traceId, headers } = trace();
    await world.read(started, headers);
    const root = () => spansOf(traceId).filter((span) => span.parentSpanId === callerSpanId);
    await expect.poll(() => root().length).toBe(1);
  }

  // These tests run at the same time, so that all of them wait for the same transmission of spans.
  describe.concurrent('that is available', () => {
    test('a request of each protocol is a span in the trace of its caller', async () => {
      const { client } = started;
      const { key, companyId } = world;
      const { traceId, headers } = trace();
      await world.read(started, headers);
      await client.call('GET', '/v1/companies/co_none/metrics', { key, headers });
      const query = `{ a: company(id: "${companyId}") { metrics { __typename } } companies { nodes { name } } }`;
      await client.call('POST', '/graphql', { key, headers, body: { query } });
      await client.call('POST', '/trpc/metrics.latest?batch=1', {
        key,
        headers,
        body: { 0: { companyId } },
      });
      const input = encodeURIComponent(JSON.stringify({ 0: { companyId: 'co_none' } }));
      const path = `/trpc/metrics.latest,companies.list?batch=1&input=${input}`;
      await client.call('GET', path, { key, headers });
      await untilSent();
      const spans = spansOf(traceId);
      const requests = spans.filter((span) => span.parentSpanId === callerSpanId);
      expect(requests.map(({ name }) => name)).toEqual([
        'rest listMetrics',
        'rest listMetrics',
        'graphql several',
        'trpc metrics.latest',
        'trpc batch',
      ]);
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
        const parts = spans.filter((span) => span.parentSpanId === request.spanId);
        const names = parts.map(({ name }) => name);
        expect(names, request.name).toEqual(
          expect.arrayContaining(['rate limit', 'database keys']),
        );
        for (const { milliseconds } of parts) {
          expect(milliseconds).toBeLessThanOrEqual(request.milliseconds + 1);
        }
        // The access record of a refusal is written after the answer, so it isn't in the trace.
        const isRefused = request === requests[1] || request === requests[4];
        expect(names.includes('database access_records'), request.name).toBe(!isRefused);
      }
      const ids = requests.map(({ attributes }) => attributes['portfolio_access.request_id']);
      const lines = requestLines(started).filter((line) => line.trace_id === traceId);
      expect(lines.map((line) => line.request_id)).toEqual(ids);
      expect(collector.resource).toMatchObject({
        'service.name': 'portfolio-access',
        'deployment.environment.name': 'staging',
      });
    });

    test('the span of an event stream ends when the stream opens', async () => {
      const { traceId, headers } = trace();
      const stream = await openStream(`${started.service.url}/v1/events`, {
        key: world.key,
        headers,
      });
      await expect
        .poll(() => spansOf(traceId).filter((span) => span.parentSpanId === callerSpanId))
        .toMatchObject([
          { name: 'rest listEvents', attributes: { 'portfolio_access.outcome': 'ok' } },
        ]);
      stream.leave();
    });

    test('a request isn’t traced if its caller turned the sampled flag off', async () => {
      const { traceId, headers } = trace('00');
      await world.read(started, headers);
      await untilSent();
      expect(spansOf(traceId)).toEqual([]);
    });

    test('a webhook begins a new trace, and its receiver gets the trace ID', async () => {
      const receiver = await startReceiver();
      opened.defer(() => receiver.close());
      const { headers } = trace();
      const body = { url: `${receiver.url}/secret-path` };
      const path = '/company/v1/webhook-endpoints';
      const { client } = started;
      const { companyKey: key } = world;
      const { id } = (await client.call('POST', path, { key, headers, body })).body;
      await client.call('POST', `${path}/${id}/test`, { key, headers });
      await untilSent();
      const [call] = receiver.calls;
      const [span] = collector.spans.filter(({ name }) => name === 'webhook');
      expect(call?.headers.traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
      expect(span?.parentSpanId).toBe('');
      expect(span?.attributes).toMatchObject({
        'http.response.status_code': 204,
        'server.address': `127.0.0.1:${receiver.port}`,
        'portfolio_access.event_id': expect.stringMatching(/^evt_/),
      });
    });
  });

  test('a request without a trace begins a new trace, which is logged and also sent before the process ends', async () => {
    await world.read(started);
    expect(await started.service.stop()).toEqual({ code: 0, signal: null });
    const roots = spansOf(requestLines(started).at(-1)?.trace_id).filter(
      (span) => span.parentSpanId === '',
    );
    expect(roots).toMatchObject([{ name: 'rest listMetrics' }]);
  });

  test('every span belongs to a request or to a webhook, and none contains a secret', () => {
    const traced = requestLines(started).map((line) => line.trace_id);
    const webhooks = collector.spans.filter(({ name }) => name === 'webhook');
    const known = new Set([...callers, ...traced, ...webhooks.map(({ traceId }) => traceId)]);
    expect(collector.spans.filter(({ traceId }) => !known.has(traceId))).toEqual([]);
    // No span contains a key, a path, a value or the name of a company.
    const sent = Buffer.concat(collector.received).toString('latin1');
    expect(sent).not.toMatch(/svc_[sc]k_|co_none|Harbor|secret-path/);
    expect(sent).not.toContain(world.companyId);
  });
});
