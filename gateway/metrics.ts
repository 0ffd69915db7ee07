import cluster from 'node:cluster';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { RateLimiterHealth } from './rate-limiter.ts';

export interface Metrics {
  /** Notes a request that has been answered. */
  observe(request: FastifyRequest, reply: FastifyReply): void;
  /** Serves `/metrics`; resolves to what stops it. */
  listen(address: { host: string; port: number }): Promise<() => Promise<void>>;
}

/**
 * Prometheus metrics, on a port of their own, so that they can stay inside while the service is outside.
 * Routes are labelled by their pattern, never by a path, so that callers cannot make labels.
 */
export function createMetrics(rateLimiterHealth: () => RateLimiterHealth): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  new Gauge({
    name: 'rate_limiter_degraded',
    help: '1 while Redis does not answer and each process counts alone.',
    registers: [registry],
    collect() {
      this.set(rateLimiterHealth() === 'degraded' ? 1 : 0);
    },
  });
  return {
    observe({ method, routeOptions }, { elapsedTime, statusCode }) {
      const labels = { method, route: routeOptions.url ?? '', status: statusCode };
      duration.observe(labels, elapsedTime / 1000);
    },
    listen: (address) =>
      cluster.isWorker ? tellFirst(registry) : serve(address, registry, () => registry.metrics()),
  };
}

/** The metrics of all workers as one, where the configuration wants them. */
export async function serveMetricsOfWorkers({
  host,
  metricsPort: port,
}: Config): Promise<() => Promise<void>> {
  if (port === null) return async () => undefined;
  const registry = new AggregatorRegistry();
  return serve({ host, port }, registry, () => registry.clusterMetrics());
}

/** A worker serves no metrics itself: the process that started it asks each and adds them up. */
async function tellFirst(registry: Registry): Promise<() => Promise<void>> {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
  return async () => undefined;
}

async function serve(
  address: { host: string; port: number },
  { contentType }: { readonly contentType: string },
  read: () => Promise<string>,
): Promise<() => Promise<void>> {
  const server = fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_request, reply) => reply.type(contentType).send(await read()));
  await server.listen(address);
  return () => server.close();
}
