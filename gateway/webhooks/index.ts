import type { Logger } from 'pino';
import type { ServiceUseCases } from '#core';
import type { Metrics } from '../metrics/index.ts';
import { runPeriodically } from '../run-periodically.ts';
import { startWebhookWorker } from './worker.ts';

const forgetMilliseconds = 3_600_000;

interface WebhookServices {
  readonly useCases: ServiceUseCases;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'countWebhook'> | null;
}

/** Delivers webhooks as long as the service runs. Resolves, when stopped, after all that was under way is given back. */
export function startWebhooks({ useCases, logger, metrics }: WebhookServices): {
  stop(): Promise<unknown>;
} {
  const worker = startWebhookWorker({
    useCases,
    onOutcome: (outcome) => metrics?.countWebhook(outcome),
    onError: (error) => logger.error({ err: error }, 'webhooks wait; they are tried again'),
  });
  const forgetting = runPeriodically(
    async (signal) => {
      while (!signal.aborted && (await useCases.forgetOldDeliveries()) > 0);
    },
    forgetMilliseconds,
    (error) => logger.error({ err: error }, 'old deliveries were not forgotten; it is tried again'),
  );
  return { stop: () => Promise.all([worker.stop(), forgetting.stop()]) };
}
