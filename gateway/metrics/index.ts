import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { RateLimiterHealth } from '../rate-limit/process-rate-limiter.ts';
import { readVersion } from '../version.ts';
import { type BackgroundMetrics, createBackgroundMetrics } from './background.ts';
import { createDatabaseMetrics, type DatabaseMetrics } from './database.ts';
import { createRequestMetrics, type RequestMetrics } from './requests.ts';

export { serveMetrics } from './serve.ts';

export interface Metrics extends RequestMetrics, DatabaseMetrics, BackgroundMetrics {
  readonly registry: Registry;
  /** Counts a Redis call that failed or was too slow. */
  countRedisFailure(): void;
}

/** The Prometheus metrics. docs/operations.md explains each. */
export function createMetrics(
  rateLimiterHealth: () => RateLimiterHealth,
  eventStreams: () => number = () => 0,
): Metrics {
  const registry = new Registry();
  showProcess(registry);
  const redisFailures = new Counter({
    name: 'redis_call_failures_total',
    help: 'Calls of Redis that failed or were not answered in time; this process has counted instead.',
    registers: [registry],
  });
  new Gauge({
    name: 'rate_limiter_degraded',
    help: '1 while Redis does not answer and each process counts alone.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(rateLimiterHealth() === 'degraded' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'event_streams',
    help: 'Event streams that are open, of all protocols.',
    registers: [registry],
    collect() {
      this.set(eventStreams());
    },
  });
  return {
    registry,
    ...createRequestMetrics(registry),
    ...createDatabaseMetrics(registry),
    ...createBackgroundMetrics(registry),
    countRedisFailure: () => redisFailures.inc(),
  };
}

/** Uses the maximum, because an average would hide a single blocked process. */
const worstOfWorkers = ['p50', 'p90', 'p99'].map((name) => `nodejs_eventloop_lag_${name}_seconds`);

function showProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of worstOfWorkers) {
    Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: 'max' });
  }
  new Gauge({
    name: 'service_processes',
    help: 'Processes that serve and have told their metrics, by version.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: readVersion() }, 1);
}
