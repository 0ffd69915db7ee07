import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { globalAgent as httpAgent } from 'node:http';
import { globalAgent as httpsAgent } from 'node:https';
import type { Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { RateLimiter } from '#core';
import { readVersion } from '../version.ts';
import { withinTime } from '../within-time.ts';
import { traceBatches, traceSpending, traceWebhooks } from './client-spans.ts';
import { reportOutages } from './report-outages.ts';
import { traceRequests } from './request-spans.ts';
import type { TracingSettings } from './settings.ts';

/** The longest wait for a slow or missing collector when the service stops. */
const stopMilliseconds = 2_000;

export type Tracing = ReturnType<typeof createTracing>;

/**
 * Reports the work of the service to a trace collector. Tracing must never make a request fail or wait. Import this
 * file only when needed, because it loads OpenTelemetry.
 */
export function createTracing(settings: TracingSettings, logger: Pick<Logger, 'warn' | 'info'>) {
  const exporter = reportOutages(new OTLPTraceExporter(proxiedOptions(settings)), logger);
  const provider = new TracerProvider({
    resource: describeService(),
    sampler: createSampler(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('portfolio-access', readVersion());
  const current = new AsyncLocalStorage<Span>();
  return {
    ...traceRequests(tracer, current),
    currentSpan: () => current.getStore(),
    traceBatch: traceBatches(tracer),
    traceSpending: (spend: RateLimiter['spend']) => traceSpending(tracer, current, spend),
    traceWebhook: traceWebhooks(tracer),
    // Ignores a failure: the spans are lost, and the exporter has already logged the reason.
    stop: () =>
      withinTime(
        provider.shutdown().catch(() => undefined),
        stopMilliseconds,
      ),
  };
}

/** Node's global agents follow NODE_USE_ENV_PROXY. The exporter's own agents ignore this variable. */
function proxiedOptions({ usesProxy }: TracingSettings) {
  if (!usesProxy) return {};
  return {
    httpAgentOptions: async (protocol: string) => (protocol === 'http:' ? httpAgent : httpsAgent),
  };
}

/** OTEL_RESOURCE_ATTRIBUTES overrides these attributes. OTEL_SERVICE_NAME always overrides the name. */
function describeService() {
  const own = resourceFromAttributes({
    'service.name': 'portfolio-access',
    'service.version': readVersion(),
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
  });
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return own.merge(detectResources({ detectors }));
}

function createSampler({ sampler, ratio }: TracingSettings): Sampler {
  const samplers = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const [, parentBased, name = 'always_on'] = /^(parentbased_)?(\w+)$/.exec(sampler) ?? [];
  const root = samplers[name as keyof typeof samplers]();
  return parentBased === undefined ? root : new ParentBasedSampler({ root });
}
