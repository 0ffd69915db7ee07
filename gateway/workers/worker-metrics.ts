import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** From the primary process to a worker. */
interface MetricsRequest {
  readonly metricsRequest: number;
}

interface MetricsResponse {
  readonly metricsResponse: number;
  readonly metrics: Awaited<ReturnType<Registry['getMetricsAsJSON']>>;
}

const timeoutMilliseconds = 1_000;

let requests = 0;

/**
 * The metrics of all workers, added up. A worker that does not answer in time is left out, because the metrics of the
 * others are wanted most while one hangs; prom-client's own `clusterMetrics` would fail for all of them.
 */
export async function sumWorkerMetrics(): Promise<string> {
  requests += 1;
  const request: MetricsRequest = { metricsRequest: requests };
  const responses = await Promise.all(
    Object.values(cluster.workers ?? {}).map((worker) => worker && ask(worker, request)),
  );
  return AggregatorRegistry.aggregate(
    responses.filter((metrics) => metrics !== undefined),
  ).metrics();
}

function ask(
  worker: Worker,
  request: MetricsRequest,
): Promise<MetricsResponse['metrics'] | undefined> {
  return new Promise((resolve) => {
    if (!worker.isConnected()) return resolve(undefined);
    const finish = (metrics?: MetricsResponse['metrics']) => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      resolve(metrics);
    };
    const timer = setTimeout(finish, timeoutMilliseconds);
    const onMessage = (message: Partial<MetricsResponse>) => {
      if (message.metricsResponse === request.metricsRequest) finish(message.metrics);
    };
    worker.on('message', onMessage);
    worker.send(request, (error) => error && finish());
  });
}

/** A worker serves no metrics itself: it sends them to the primary process, which adds them up. */
export function sendMetricsToPrimary(registry: Registry): void {
  process.on('message', async ({ metricsRequest }: Partial<MetricsRequest>) => {
    if (metricsRequest === undefined) return;
    const response: MetricsResponse = {
      metricsResponse: metricsRequest,
      metrics: await registry.getMetricsAsJSON(),
    };
    process.send?.(response);
  });
}
