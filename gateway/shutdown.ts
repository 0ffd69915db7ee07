import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { whenToldToStop } from './told-to-stop.ts';

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
