import type { Logger } from 'pino';
import type { ServiceUseCases, WebhookClaim } from '#core';
import type { Metrics } from '../metrics/index.ts';
import { type QueueWorkerOptions, startQueueWorker } from '../queue-worker.ts';
import { createWaker } from '../run-periodically.ts';

interface WebhookOptions
  extends Partial<
    Pick<
      QueueWorkerOptions<WebhookClaim>,
      'maxConcurrent' | 'pollMilliseconds' | 'stopMilliseconds'
    >
  > {
  readonly useCases: Pick<
    ServiceUseCases,
    'queueWebhooks' | 'claimWebhookEndpoints' | 'deliverWebhooks' | 'deleteOldDeliveries'
  >;
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<Metrics, 'countWebhook'> | null;
}

/** The time that the worker waits after the first change, so that a run includes further changes. */
const wakeMilliseconds = 50;
/** The shortest time between two runs of the worker. */
const betweenMilliseconds = 300;

/** Delivers webhooks to up to 100 endpoints at the same time. Only one process at a time delivers to an endpoint. */
export function startWebhooks({ useCases, logger, metrics, ...options }: WebhookOptions) {
  const onOutcome = (outcome: Parameters<Metrics['countWebhook']>[0]) =>
    metrics?.countWebhook(outcome);
  const worker = startQueueWorker<WebhookClaim>({
    queueNext: useCases.queueWebhooks,
    claim: useCases.claimWebhookEndpoints,
    send: (claim, signals) => useCases.deliverWebhooks(claim, { ...signals, onOutcome }),
    deleteOld: useCases.deleteOldDeliveries,
    maxConcurrent: 100,
    pollMilliseconds: 1_500,
    maxPollMilliseconds: 30_000,
    stopMilliseconds: 5_000,
    onError: (error) =>
      logger.error({ err: error }, 'webhooks are delayed; the service will try again'),
    ...options,
  });
  const waker = createWaker(worker.run, wakeMilliseconds, betweenMilliseconds);
  return {
    /** Must be called after each change that this process makes. */
    wake: waker.wake,
    /** Starts no new attempt, stops the running attempts soon, and releases all claims. */
    async stop() {
      waker.stop();
      await worker.stop();
    },
  };
}
