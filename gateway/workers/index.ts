import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createLogger, logStart } from '../logs/logger.ts';
import { serveMetrics } from '../metrics/serve.ts';
import { reloadMessage, reloadOnHangup, stopMessage } from '../shutdown.ts';
import { watcherEnvironment } from './watcher.ts';
import { sumWorkerMetrics } from './worker-metrics.ts';

const restartMilliseconds = 1_000;

/** The file that workers run. Workers run the service even if a command has started the primary process. */
const workerFile = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);

/** Must be longer than the time that a worker needs to finish its running requests. */
const killMilliseconds = 45_000;

/**
 * Runs the service in several worker processes that share the port. This primary process serves only metrics. It starts
 * workers, replaces workers that have exited, and exits last.
 */
export async function startWorkers(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  logStart(logger, config);
  const closeMetrics = await serveMetrics(config, sumWorkerMetrics);
  cluster.setupPrimary({ exec: workerFile, args: [] });
  const pool = new WorkerPool(logger);
  reloadOnHangup(() => pool.reload());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (pool.isStopping) process.exit(1);
      logger.info({ signal }, 'stopping');
      void pool.stop().then(async (allSucceeded) => {
        await closeMetrics();
        logger.info('stopped');
        process.exit(allSucceeded ? 0 : 1);
      });
    });
  }
  // The first worker migrates the database and creates the demo data. The other workers start afterwards.
  const first = pool.fork(watcherEnvironment);
  const exitCode = await Promise.race([
    once(first, 'listening').then(() => null),
    once(first, 'exit').then(([code]) => Number(code ?? 1)),
  ]);
  if (pool.isStopping) return;
  if (exitCode !== null) process.exit(exitCode);
  pool.replaceOnExit(first, watcherEnvironment);
  for (let count = 1; count < config.workers; count += 1) pool.start();
}

type WorkerEnvironment = Readonly<Record<string, string>>;

class WorkerPool {
  readonly #logger: Logger;
  readonly #workers = new Set<Worker>();
  isStopping = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  start(environment?: WorkerEnvironment): void {
    if (!this.isStopping) this.replaceOnExit(this.fork(environment), environment);
  }

  fork(environment?: WorkerEnvironment): Worker {
    const worker = cluster.fork(environment);
    this.#workers.add(worker);
    worker.on('error', (error) =>
      this.#logger.warn({ err: error }, 'a message to a worker failed'),
    );
    worker.once('exit', () => this.#workers.delete(worker));
    return worker;
  }

  replaceOnExit(worker: Worker, environment?: WorkerEnvironment): void {
    worker.once('exit', (code, signal) => {
      if (this.isStopping) return;
      const { pid } = worker.process;
      // The name isn't `pid`, because `pid` is the process that writes the log line.
      this.#logger.error({ worker_pid: pid, code, signal }, 'a worker ended; another starts');
      setTimeout(() => this.start(environment), restartMilliseconds);
    });
  }

  reload(): void {
    for (const worker of this.#workers) if (worker.isConnected()) worker.send(reloadMessage);
  }

  /** Resolves to true if each worker exited with code 0. */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    const successes = [...this.#workers].map(async (worker) => {
      const exit = once(worker, 'exit');
      if (worker.isConnected()) worker.send(stopMessage);
      const deadline = setTimeout(() => worker.process.kill('SIGKILL'), killMilliseconds);
      const [code] = await exit;
      clearTimeout(deadline);
      return code === 0;
    });
    return (await Promise.all(successes)).every(Boolean);
  }
}
