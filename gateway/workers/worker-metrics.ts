import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from '@prometheus-io/client';
import type { MetricsRequest, MetricsResponse, WorkerMetrics } from './send-metrics.ts';

const timeoutMilliseconds = 1_000;

let requests = 0;

const lastCounts = new Map<number, WorkerMetrics>();

let countsOfEnded: WorkerMetrics = [];

/**
 * Adds up the metrics of all workers. If a worker doesn't answer in time, uses its last counters, because metrics
 * matter most while a worker hangs. The library's `clusterMetrics` would fail instead. Workers that have exited still
 * count, because a falling counter looks like a restart.
 */
export async function sumWorkerMetrics(): Promise<string> {
  requests += 1;
  const request: MetricsRequest = { metricsRequest: requests };
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const answers = await Promise.all(
    workers.map(async (worker) => {
      const metrics = await requestMetrics(worker, request);
      if (metrics) lastCounts.set(worker.id, countsIn(metrics));
      return metrics ?? lastCounts.get(worker.id) ?? [];
    }),
  );
  await addEnded(new Set(workers.map(({ id }) => id)));
  return AggregatorRegistry.aggregate([...answers, countsOfEnded]).metrics();
}

async function addEnded(running: ReadonlySet<number>): Promise<void> {
  const ended = [...lastCounts].filter(([id]) => !running.has(id));
  if (ended.length === 0) return;
  for (const [id] of ended) lastCounts.delete(id);
  const counts = ended.map(([, metrics]) => metrics);
  countsOfEnded = await AggregatorRegistry.aggregate([countsOfEnded, ...counts]).getMetricsAsJSON();
}

/** Returns only metrics that never fall. The library's types declare `type` as a number, but its value is a name. */
function countsIn(metrics: WorkerMetrics): WorkerMetrics {
  const growingTypes = new Set<unknown>(['counter', 'histogram']);
  return metrics.filter(({ type }) => growingTypes.has(type));
}

function requestMetrics(
  worker: Worker,
  request: MetricsRequest,
): Promise<WorkerMetrics | undefined> {
  return new Promise((resolve) => {
    if (!worker.isConnected()) return resolve(undefined);
    const finish = (metrics?: WorkerMetrics) => {
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
