import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

export interface QueueWorkerOptions<Item> {
  /** Queues the items of the next events. Returns the number of events. Absent if other code queues the items. */
  readonly fill?: () => Promise<number>;
  /** Claims up to `limit` of the items that are due. */
  readonly claim: (limit: number) => Promise<readonly Item[]>;
  /** Deletes some old items. Returns the number of deleted items. Absent if other code deletes them. */
  readonly forget?: () => Promise<number>;
  /** Sends a claimed item and stores the result. */
  readonly send: (item: Item, signals: SendSignals) => Promise<void>;
  /** The number of items that may be sent at the same time. */
  readonly atOnce: number;
  readonly pollMilliseconds: number;
  /** The longest pause while the database doesn't answer. By default, the pause doesn't grow. */
  readonly maxPollMilliseconds?: number;
  /** When the worker stops, running attempts may continue for this time. */
  readonly stopMilliseconds: number;
  /** Called for the first of several failures in a row. */
  readonly onError: (error: unknown) => void;
}

export interface SendSignals {
  /** Aborted when the worker stops. No new attempt may start. */
  readonly stopping: AbortSignal;
  /** Aborted `stopMilliseconds` later. Running attempts must then stop. */
  readonly cut: AbortSignal;
}

const forgetMilliseconds = 3_600_000;

/**
 * Sends the items of a queue. Several items are sent at a time, so that a slow item doesn't delay the others. Each
 * process has a worker, which claims items for itself. If a process dies, its items are due again when their claims
 * expire.
 */
export function startQueueWorker<Item>(options: QueueWorkerOptions<Item>): PeriodicTask {
  const { fill, forget, claim, send, atOnce, pollMilliseconds, stopMilliseconds, onError } =
    options;
  const cut = new AbortController();
  const underway = new Set<Promise<void>>();
  let isBroken = false;
  const fail = (error: unknown): void => {
    if (!isBroken) onError(error);
    isBroken = true;
  };

  const task = runPeriodically(
    async (stopping) => {
      while (fill && !stopping.aborted && (await fill()) > 0);
      while (!stopping.aborted && underway.size < atOnce) {
        const items = await claim(atOnce - underway.size);
        if (items.length === 0) break;
        for (const item of items) {
          const sending = send(item, { stopping, cut: cut.signal })
            .finally(() => underway.delete(sending))
            .then(task.run, fail);
          underway.add(sending);
        }
      }
      isBroken = false;
    },
    pollMilliseconds,
    fail,
    options.maxPollMilliseconds,
  );
  const forgetting =
    forget &&
    runPeriodically(
      async (stopping) => {
        while (!stopping.aborted && (await forget()) > 0);
      },
      forgetMilliseconds,
      fail,
    );

  return {
    run: task.run,
    async stop() {
      const timer = setTimeout(() => cut.abort(), stopMilliseconds);
      await Promise.all([task.stop(), forgetting?.stop()]);
      await Promise.all(underway);
      clearTimeout(timer);
    },
  };
}
