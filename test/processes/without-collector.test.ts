// @module-tag full
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startCollector } from '../gateway/tracing/collector.ts';
import { killLeftovers } from '../support/processes.ts';
import { newTrace, openWorld, requestLines } from './traced-service.ts';

const opened = new AsyncDisposableStack();
let world: Awaited<ReturnType<typeof openWorld>>;

beforeAll(async () => {
  world = await openWorld(opened);
});
afterEach(killLeftovers);
afterAll(() => opened.disposeAsync());

describe('without a collector', () => {
  test('no OpenTelemetry module is loaded, and the caller’s trace ID is in the log', async () => {
    const started = await world.start();
    const { traceId, headers } = newTrace();
    await world.read(started, headers);
    await world.read(started, { traceparent: 'made up' });
    await world.read(started);
    expect(await started.service.stop()).toEqual({ code: 0, signal: null });
    expect(started.service.output()).not.toContain('loaded ');
    const traces = requestLines(started).map((line) => line.trace_id);
    expect(traces).toEqual([traceId, undefined, undefined]);
  });

  test('only the API of OpenTelemetry is loaded if metrics are on, because their library needs it', async () => {
    const { service } = await world.start({ METRICS_PORT: '0' });
    await service.stop();
    const packages = service.output().matchAll(/^loaded .*@opentelemetry\/([\w-]+)/gm);
    expect(new Set([...packages].map(([, name]) => name))).toEqual(new Set(['api']));
  });
});

describe('an unreliable collector of traces', () => {
  test('doesn’t affect callers while it hangs, and is logged in one line', async () => {
    const collector = await startCollector({ hangs: true });
    opened.defer(() => collector.close());
    const started = await world.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    expect((await world.read(started)).status).toBe(200);
    await started.service.waitFor(/accepts no traces/);
    expect((await world.read(started)).status).toBe(200);
    expect(await started.service.stop()).toEqual({ code: 0, signal: null });
    expect(started.service.output().match(/accepts no traces/g)).toHaveLength(1);
  });

  test('doesn’t delay the stop of a service while it hangs', async () => {
    const collector = await startCollector({ hangs: true });
    opened.defer(() => collector.close());
    const started = await world.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect((await world.read(started)).status).toBe(200);
    expect(await started.service.stop()).toEqual({ code: 0, signal: null });
    expect(collector.received).toHaveLength(1);
  });

  test('is reached through the proxy that NODE_USE_ENV_PROXY turns on', async () => {
    const proxy = await startCollector();
    opened.defer(() => proxy.close());
    const started = await world.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxy.url,
    });
    expect((await world.read(started)).status).toBe(200);
    expect(await started.service.stop()).toEqual({ code: 0, signal: null });
    expect([...proxy.hosts]).toEqual(['collector.example:4318']);
  });
});
