import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

export const stopMessage = 'stop';
export const reloadMessage = 'reload';

/** Stops accepting requests, lets running ones finish, and cuts off those that take too long. */
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
      `after ${seconds} s requests still ran, or their answers were not taken: they were cut off`,
    );
  }, milliseconds);
  await app.close();
  clearTimeout(deadline);
}

/** Before the service listens, no request needs to finish. */
let stopWorker = (_reason: string): void => process.exit(0);

/**
 * Lets the primary process stop this worker by a message, or by its own death. Ctrl-C reaches all processes of a
 * terminal, so only the primary process reacts.
 */
export function listenToPrimary(): void {
  if (!cluster.isWorker) return;
  process.on('SIGINT', () => undefined);
  process.on('message', (message) => message === stopMessage && stopWorker(stopMessage));
  // Node would end the worker with the primary process, in the middle of its requests.
  cluster.worker?.on('disconnect', () => {
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  });
  process.on('disconnect', () => stopWorker('disconnect'));
}

/**
 * Reloads on SIGHUP, or on a message from the primary process. In a terminal, SIGHUP ends the process as usual, because
 * it means that the terminal was closed.
 */
export function reloadOnHangup(reload: () => unknown): void {
  if (cluster.isWorker) process.on('message', (message) => message === reloadMessage && reload());
  else if (!process.stdout.isTTY) process.on('SIGHUP', reload);
}

/** Runs `stop` and exits, on a signal or a message from the primary process. A second signal exits at once. */
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
