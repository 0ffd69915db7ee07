import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createLogger } from '../logs/logger.ts';
import { stopMessage } from './stop-messages.ts';
import { serveMetricsOfWorkers } from './worker-metrics.ts';

const restartMilliseconds = 1_000;

/** Longer than a worker takes to finish what runs. */
const killMilliseconds = 45_000;

/**
 * Runs the service in several processes, which share the port. This one serves nothing itself: it starts them, puts
 * another in the place of one that dies, and ends when all have ended.
 */
export async function startWorkers(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  const closeMetrics = await serveMetricsOfWorkers(config);
  const keeper = new Keeper(logger);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (keeper.isStopping) process.exit(1);
      logger.info({ signal }, 'stopping');
      void keeper.stop().then(async (isWell) => {
        await closeMetrics();
        logger.info('stopped');
        process.exit(isWell ? 0 : 1);
      });
    });
  }
  // The first one migrates and sets the demo up; the others come when that is done.
  const first = keeper.add(cluster.fork());
  const exitCode = await Promise.race([
    once(first, 'listening').then(() => null),
    once(first, 'exit').then(([code]) => Number(code ?? 1)),
  ]);
  if (keeper.isStopping) return;
  if (exitCode !== null) process.exit(exitCode);
  keeper.replaceWhenEnded(first);
  for (let count = 1; count < config.workers; count += 1) keeper.start();
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
    if (!this.isStopping) this.replaceWhenEnded(this.add(cluster.fork()));
  }

  add(worker: Worker): Worker {
    this.#workers.add(worker);
    worker.on('error', (error) =>
      this.#logger.warn({ err: error }, 'a worker cannot be spoken to'),
    );
    worker.once('exit', () => this.#workers.delete(worker));
    return worker;
  }

  replaceWhenEnded(worker: Worker): void {
    worker.once('exit', (code, signal) => {
      if (this.isStopping) return;
      const { pid } = worker.process;
      this.#logger.error({ pid, code, signal }, 'a worker ended; another starts');
      setTimeout(() => this.start(), restartMilliseconds);
    });
  }

  /** Answers whether every worker ended as it should. */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    const ended = [...this.#workers].map(async (worker) => {
      const exit = new Promise<number | null>((resolve) => worker.once('exit', resolve));
      if (worker.isConnected()) worker.send(stopMessage);
      const deadline = setTimeout(() => worker.process.kill('SIGKILL'), killMilliseconds);
      const code = await exit;
      clearTimeout(deadline);
      return code === 0;
    });
    return (await Promise.all(ended)).every(Boolean);
  }
}
