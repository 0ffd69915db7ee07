import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

export const stopMessage = 'stop';
export const reloadMessage = 'reload';

/** Stops accepting requests and waits for running requests. Cuts off requests that take too long. */
export async function drain(
  app: FastifyInstance,
  logger: Pick<Logger, 'warn'>,
  milliseconds = 30_000,
): Promise<void> {
  const deadline = setTimeout(() => {
    const { unanswered, untaken } = app.connections.destroyAll();
    const seconds = milliseconds / 1000;
    if (unanswered + untaken === 0) return;
    logger.warn(
      { unanswered, untaken },
      `after ${seconds} s the service closed connections with running requests or unread responses`,
    );
  }, milliseconds);
  await app.close();
  clearTimeout(deadline);
}

/** Until the service listens, no request is running, so the process can exit at once. */
let stopWorker = (_reason: string): void => process.exit(0);

/**
 * Stops this worker when the primary process sends a message, or when the primary process dies. Ctrl-C in a terminal
 * reaches all processes, so workers ignore it and only the primary process reacts.
 */
export function listenToPrimary(): void {
  if (!cluster.isWorker) return;
  process.on('SIGINT', () => undefined);
  process.on('message', (message) => message === stopMessage && stopWorker(stopMessage));
  // Otherwise Node would stop the worker in the middle of its requests when the primary process dies.
  cluster.worker?.on('disconnect', () => {
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  });
  process.on('disconnect', () => stopWorker('disconnect'));
}

/**
 * Calls `reload` on SIGHUP, or on a message from the primary process. In a terminal, SIGHUP means that the terminal was
 * closed. So there it ends the process as usual.
 */
export function reloadOnHangup(reload: () => unknown): void {
  if (cluster.isWorker) process.on('message', (message) => message === reloadMessage && reload());
  else if (!process.stdout.isTTY) process.on('SIGHUP', reload);
}

/** On a signal, or on a message from the primary process, runs `stop` and exits. On a second signal, exits at once. */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = async (signal: string): Promise<void> => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, 'stopping');
    try {
      await stop();
      logger.info('stopped');
      process.exit(0);
    } catch (error) {
      logger.fatal({ err: error }, 'stopping failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  if (!cluster.isWorker) process.on('SIGINT', onSignal);
  stopWorker = (reason) => isStopping || void onSignal(reason);
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unexpected error; the process ends');
    process.exit(1);
  });
}
