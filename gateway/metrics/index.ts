import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { RateLimiterHealth } from '../rate-limit/process-rate-limiter.ts';
import { readVersion } from '../version.ts';
import { createBackgroundMetrics } from './background.ts';
import { createDatabaseMetrics } from './database.ts';
import { createRequestMetrics } from './requests.ts';

export { serveMetrics } from './serve.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** docs/operations.md explains each metric. */
export function createMetrics(
  rateLimiterHealth: () => RateLimiterHealth,
  eventStreams: () => number = () => 0,
) {
  const registry = new Registry();
  showProcess(registry);
  const redisFailures = new Counter({
    name: 'redis_call_failures_total',
    help: 'Redis calls that failed or were too slow, so that the process counted for itself.',
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
    help: 'Open event streams of all protocols.',
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
    countRedisFailure: (): void => redisFailures.inc(),
  };
}

/** The metrics for which the highest number of all workers is reported. An average would hide a blocked worker. */
const worstOfWorkers = ['p50', 'p90', 'p99'].map((name) => `nodejs_eventloop_lag_${name}_seconds`);

function showProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of worstOfWorkers) {
    Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: 'max' });
  }
  new Gauge({
    name: 'service_processes',
    help: 'Serving processes that reported metrics, by version.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: readVersion() }, 1);
}
