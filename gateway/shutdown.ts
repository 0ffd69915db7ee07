import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { stopMessage } from './stop-message.ts';

const drainMilliseconds = 30_000;

/** Stops accepting and lets what runs finish; what has not finished after 30 s is cut off. */
export async function drain(app: FastifyInstance, logger: Logger): Promise<void> {
  const deadline = setTimeout(() => {
    logger.warn('requests still ran after 30 s and were cut off');
    app.server.closeAllConnections();
  }, drainMilliseconds);
  await app.close();
  clearTimeout(deadline);
}

/**
 * Carries the stop out once, on SIGTERM or SIGINT, and exits; a second signal does not wait for it. A worker is told by
 * the process that started it, or by its death; Ctrl-C, which reaches all of them, is for that process alone.
 */
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
  process.on('SIGINT', cluster.isWorker ? () => undefined : onSignal);
  if (cluster.isWorker) {
    const stopOnce = (reason: string) => (isStopping ? undefined : onSignal(reason));
    process.on('message', (message) => message === stopMessage && stopOnce(stopMessage));
    process.on('disconnect', () => stopOnce('disconnect'));
  }
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unforeseen; the process ends');
    process.exit(1);
  });
}
