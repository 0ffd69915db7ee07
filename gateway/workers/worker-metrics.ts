import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { serveMetrics } from '../metrics-server.ts';

interface Question {
  readonly askForMetrics: number;
}

interface Told {
  readonly metricsFor: number;
  readonly metrics: Awaited<ReturnType<Registry['getMetricsAsJSON']>>;
}

/** A worker that does not answer by then is left out: the others' metrics are wanted most when one hangs. */
const patienceMilliseconds = 1_000;

/** The metrics of all workers as one, where the configuration wants them. */
export async function serveMetricsOfWorkers({
  metricsHost: host,
  metricsPort: port,
}: Config): Promise<() => Promise<void>> {
  if (port === null) return async () => undefined;
  let questions = 0;
  return serveMetrics({ host, port }, async () => {
    questions += 1;
    const question: Question = { askForMetrics: questions };
    const told = await Promise.all(
      Object.values(cluster.workers ?? {}).map((worker) => ask(worker, question)),
    );
    return AggregatorRegistry.aggregate(told.filter((metrics) => metrics !== null)).metrics();
  });
}

function ask(worker: Worker | undefined, question: Question): Promise<Told['metrics'] | null> {
  return new Promise((resolve) => {
    if (!worker?.isConnected()) return resolve(null);
    const timer = setTimeout(() => settle(null), patienceMilliseconds);
    const listen = (message: Partial<Told>) => {
      if (message.metricsFor === question.askForMetrics) settle(message.metrics ?? null);
    };
    const settle = (metrics: Told['metrics'] | null) => {
      clearTimeout(timer);
      worker.off('message', listen);
      resolve(metrics);
    };
    worker.on('message', listen);
    worker.send(question, (error) => error && settle(null));
  });
}

/** A worker serves no metrics itself: the process that started it asks each and adds them up. */
export async function tellMetrics(registry: Registry): Promise<() => Promise<void>> {
  process.on('message', async ({ askForMetrics }: Partial<Question>) => {
    if (askForMetrics === undefined) return;
    const told: Told = { metricsFor: askForMetrics, metrics: await registry.getMetricsAsJSON() };
    process.send?.(told);
  });
  return async () => undefined;
}
