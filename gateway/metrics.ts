import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastify } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { isSuccess, type WebhookOutcome } from '#core';
import type { Config } from './config.ts';
import type { RateLimiterHealth } from './rate-limit/running-rate-limiter.ts';

export interface Metrics {
  readonly registry: Registry;
  /** Counts a request that has been answered. */
  observe(request: FastifyRequest, reply: FastifyReply): void;
  countDroppedRefusals(count: number): void;
  countWebhook(outcome: WebhookOutcome): void;
  /** Asks at each reading how many deliveries wait. */
  showWaitingWebhooks(count: () => Promise<number>): void;
}

/** Prometheus metrics. Routes are labelled by their pattern, never by a path, so that callers cannot make labels. */
export function createMetrics(
  rateLimiterHealth: () => RateLimiterHealth,
  eventStreams: () => number = () => 0,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  const droppedRefusals = new Counter({
    name: 'access_records_dropped_total',
    help: 'Refusals whose access records were dropped because the database has not confirmed them.',
    registers: [registry],
  });
  const webhooks = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts to deliver a webhook: delivered, refused by the receiver, or failed before an answer.',
    labelNames: ['outcome'],
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
    observe({ method, routeOptions }, { elapsedTime, statusCode }) {
      const labels = { method, route: routeOptions.url ?? '', status: statusCode };
      duration.observe(labels, elapsedTime / 1000);
    },
    countDroppedRefusals: (count) => droppedRefusals.inc(count),
    countWebhook(outcome) {
      const unanswered = 'failure' in outcome ? 'failed' : 'refused';
      webhooks.inc({ outcome: isSuccess(outcome) ? 'delivered' : unanswered });
    },
    showWaitingWebhooks(count) {
      new Gauge({
        name: 'webhook_deliveries_waiting',
        help: 'Deliveries of webhooks that wait for their first or their next attempt.',
        aggregator: 'max',
        registers: [registry],
        async collect() {
          // A database that is away must not keep the other metrics from being read.
          const waiting = await count().catch(() => null);
          if (waiting !== null) this.set(waiting);
        },
      });
    },
  };
}

/**
 * Serves `/metrics` on a port of its own, so that it can stay inside while the service is outside; not at all without
 * that port. Resolves to what stops it.
 */
export async function serveMetrics(
  { metricsHost: host, metricsPort: port }: Pick<Config, 'metricsHost' | 'metricsPort'>,
  read: () => Promise<string>,
): Promise<() => Promise<void>> {
  if (port === null) return async () => undefined;
  const server = fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_request, reply) =>
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await read()),
  );
  await server.listen({ host, port });
  return () => server.close();
}
