import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createLogger } from './logger.ts';
import { serveMetricsOfWorkers } from './metrics.ts';
import { stopMessage } from './stop-message.ts';

const restartMilliseconds = 1_000;

/**
 * Runs the service in several processes, which share the port. This one serves nothing itself: it starts them, puts
 * another in the place of one that dies, and ends when all have ended.
 */
export async function startWorkers(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  const closeMetrics = await serveMetricsOfWorkers(config);
  // The first one migrates and sets the demo up; the others come when that is done.
  const first = cluster.fork();
  const started = await Promise.race([
    once(first, 'listening').then(() => null),
    once(first, 'exit').then(([code]) => Number(code ?? 1)),
  ]);
  if (started !== null) process.exit(started);
  const keep = new Keeper(logger);
  keep.watch(first);
  for (let count = 1; count < config.workers; count += 1) keep.start();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (keep.isStopping) process.exit(1);
      logger.info({ signal }, 'stopping');
      void keep.stop().then(async (isWell) => {
        await closeMetrics();
        logger.info('stopped');
        process.exit(isWell ? 0 : 1);
      });
    });
  }
}

/** Keeps the number of workers until it is told to stop. */
class Keeper {
  readonly #logger: Logger;
  readonly #workers = new Set<Worker>();
  isStopping = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  start(): void {
    if (!this.isStopping) this.watch(cluster.fork({ DEMO: 'off' }));
  }

  watch(worker: Worker): void {
    this.#workers.add(worker);
    worker.once('exit', (code, signal) => {
      this.#workers.delete(worker);
      if (this.isStopping) return;
      this.#logger.error(
        { pid: worker.process.pid, code, signal },
        'a worker ended; another starts',
      );
      setTimeout(() => this.start(), restartMilliseconds);
    });
  }

  /** Answers whether every worker ended as it should. */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    const ended = [...this.#workers].map(async (worker) => {
      const exit = once(worker, 'exit');
      worker.send(stopMessage);
      const [code] = await exit;
      return code === 0;
    });
    return (await Promise.all(ended)).every(Boolean);
  }
}
