import type { Logger } from 'pino';
import type { ServiceUseCases, WebhookClaim, WebhookOutcome } from '#core';
import type { Metrics } from '../metrics/index.ts';
import { runPeriodically } from '../run-periodically.ts';

interface WorkerOptions {
  readonly useCases: Pick<
    ServiceUseCases,
    'queueWebhooks' | 'claimWebhookEndpoints' | 'deliverWebhooks'
  >;
  readonly onOutcome: (outcome: WebhookOutcome) => void;
  readonly onError: (error: unknown) => void;
  readonly pollMilliseconds?: number;
  /** How many endpoints are delivered to at the same time. */
  readonly maxEndpoints?: number;
  /** How long attempts under way may still take after the stop. */
  readonly stopMilliseconds?: number;
}

export interface WebhookWorker {
  /** Looks for work now. */
  wake(): void;
  /** Takes nothing new, ends what is under way soon, and resolves when all of it is given back. */
  stop(): Promise<void>;
}

/** After a failure the database is left alone for longer and longer, up to this. */
const maxPauseMilliseconds = 30_000;

/** Queues what has happened and delivers what is due. Every process has one; each endpoint is served by one at a time. */
export function startWebhookWorker(options: WorkerOptions): WebhookWorker {
  const { useCases, onOutcome, onError } = options;
  const { pollMilliseconds = 1_500, maxEndpoints = 100, stopMilliseconds = 5_000 } = options;
  const stopping = new AbortController();
  const cut = new AbortController();
  const turns = new Set<Promise<void>>();
  let failures = 0;
  let looking: Promise<void> | null = null;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    while (!stopping.signal.aborted && (await useCases.queueWebhooks()) > 0);
    while (!stopping.signal.aborted && turns.size < maxEndpoints) {
      const claims = await useCases.claimWebhookEndpoints(maxEndpoints - turns.size);
      if (claims.length === 0) return;
      for (const claim of claims) takeTurn(claim);
    }
  }

  function takeTurn(claim: WebhookClaim): void {
    const turn = useCases
      .deliverWebhooks(claim, { stopping: stopping.signal, cut: cut.signal, onOutcome })
      .then(wake, fail)
      .finally(() => turns.delete(turn));
    turns.add(turn);
  }

  /** Failures in a row are reported once, however long the database is away. */
  function fail(error: unknown): void {
    failures += 1;
    if (failures === 1) onError(error);
  }

  async function lookUntilDone(): Promise<void> {
    try {
      do {
        isWoken = false;
        await look();
      } while (isWoken && !stopping.signal.aborted);
      failures = 0;
    } catch (error) {
      fail(error);
    }
    looking = null;
    const pause = Math.min(pollMilliseconds * 2 ** failures, maxPauseMilliseconds);
    if (!stopping.signal.aborted) timer = setTimeout(wake, pause);
  }

  function wake(): void {
    isWoken = true;
    if (looking !== null || stopping.signal.aborted) return;
    clearTimeout(timer);
    looking = lookUntilDone();
  }

  wake();
  return {
    wake,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      const cutting = setTimeout(() => cut.abort(), stopMilliseconds);
      await looking;
      await Promise.all(turns);
      clearTimeout(cutting);
    },
  };
}

/** The first changes after a while without any are looked at so many milliseconds later, */
const wakeMilliseconds = 50;
/** and while there are more and more, no look begins sooner after the one before. */
const betweenMilliseconds = 300;

const forgetMilliseconds = 3_600_000;

interface WebhookServices {
  readonly useCases: ServiceUseCases;
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<Metrics, 'countWebhook'> | null;
}

/** Delivers webhooks as long as the service runs. Resolves, when stopped, after all that was under way is given back. */
export function startWebhooks({ useCases, logger, metrics }: WebhookServices): {
  /** To be called after a change of this process. */
  wake(): void;
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
  let waking: NodeJS.Timeout | undefined;
  let wokenAt = Number.NEGATIVE_INFINITY;
  return {
    wake() {
      const pause = wokenAt + betweenMilliseconds - performance.now();
      waking ??= setTimeout(
        () => {
          waking = undefined;
          wokenAt = performance.now();
          worker.wake();
        },
        Math.max(wakeMilliseconds, pause),
      );
    },
    stop() {
      clearTimeout(waking);
      return Promise.all([worker.stop(), forgetting.stop()]);
    },
  };
}
