import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

export interface QueueWorkerOptions<Item> {
  /** Queues the items of the next events. Returns the number of events. Absent if other code queues the items. */
  readonly queueNext?: () => Promise<number>;
  /** Claims up to `limit` of the items that are due. */
  readonly claim: (limit: number) => Promise<readonly Item[]>;
  /** Deletes some old items. Returns the number of deleted items. Absent if other code deletes them. */
  readonly deleteOld?: () => Promise<number>;
  /** Sends a claimed item and stores the result. */
  readonly send: (item: Item, signals: SendSignals) => Promise<void>;
  /** The number of items that may be sent at the same time. */
  readonly maxConcurrent: number;
  readonly pollMilliseconds: number;
  /** After each failure in a row, the pause doubles, up to this limit. If absent, the pause stays the same. */
  readonly maxPollMilliseconds?: number;
  /** When the worker stops, running attempts may continue for this time. */
  readonly stopMilliseconds: number;
  /** Called for the first of several failures in a row. */
  readonly onError: (error: unknown) => void;
}

export interface SendSignals {
  /** Aborted when the worker stops. No new attempt may start. */
  readonly stopSignal: AbortSignal;
  /** Aborted `stopMilliseconds` after `stopSignal`. Running attempts must then stop. */
  readonly abortSignal: AbortSignal;
}

const deletionMilliseconds = 3_600_000;

/**
 * Sends the items of a queue. Several items are sent at a time, so that a slow item doesn't delay the others. Each
 * process has a worker, which claims items for itself. If a process dies, its items are due again when their claims
 * expire.
 */
export function startQueueWorker<Item>(options: QueueWorkerOptions<Item>): PeriodicTask {
  const {
    queueNext,
    deleteOld,
    claim,
    send,
    maxConcurrent,
    pollMilliseconds,
    stopMilliseconds,
    onError,
  } = options;
  const abortController = new AbortController();
  const sending = new Set<Promise<void>>();
  let isBroken = false;
  const fail = (error: unknown): void => {
    if (!isBroken) onError(error);
    isBroken = true;
  };

  const task = runPeriodically(
    async (stopSignal) => {
      while (queueNext && !stopSignal.aborted && (await queueNext()) > 0);
      while (!stopSignal.aborted && sending.size < maxConcurrent) {
        const items = await claim(maxConcurrent - sending.size);
        if (items.length === 0) break;
        for (const item of items) {
          const attempt = send(item, { stopSignal, abortSignal: abortController.signal })
            .finally(() => sending.delete(attempt))
            .then(task.run, fail);
          sending.add(attempt);
        }
      }
      isBroken = false;
    },
    pollMilliseconds,
    fail,
    options.maxPollMilliseconds,
  );
  const deletion =
    deleteOld &&
    runPeriodically(
      async (stopSignal) => {
        while (!stopSignal.aborted && (await deleteOld()) > 0);
      },
      deletionMilliseconds,
      fail,
    );

  return {
    run: task.run,
    async stop() {
      const timer = setTimeout(() => abortController.abort(), stopMilliseconds);
      await Promise.all([task.stop(), deletion?.stop()]);
      await Promise.all(sending);
      clearTimeout(timer);
    },
  };
}
