import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { whenToldToStop } from './workers/stop-messages.ts';

/**
 * Stops accepting, ends the connections that wait for a request, and lets what runs finish; what has not finished in time
 * is cut off.
 */
export async function drain(
  app: FastifyInstance,
  logger: Pick<Logger, 'warn'>,
  milliseconds = 30_000,
): Promise<void> {
  const deadline = setTimeout(() => {
    const { unanswered, untaken } = app.connections.cutOff();
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

/** Carries the stop out once, when a signal or the first process says so, and exits; a second signal does not wait. */
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
  whenToldToStop((reason) => isStopping || void onSignal(reason));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unforeseen; the process ends');
    process.exit(1);
  });
}
