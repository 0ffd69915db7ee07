import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

export interface QueueWorkerOptions<Item> {
  /** Adds the items of the next events to the queue and returns the number of events; absent: other code adds items. */
  readonly fill?: () => Promise<number>;
  /** Claims up to `limit` items that are due. */
  readonly claim: (limit: number) => Promise<readonly Item[]>;
  /** Forgets some old items and returns their number; absent: other code does so. */
  readonly forget?: () => Promise<number>;
  /** Sends a claimed item and settles it. */
  readonly send: (item: Item, signals: SendSignals) => Promise<void>;
  /** The number of items that are sent at the same time. */
  readonly atOnce: number;
  readonly pollMilliseconds: number;
  /** Limits the pause while the database is away; absent: the pause never grows. */
  readonly maxPollMilliseconds?: number;
  /** The time that attempts may still take after the stop. */
  readonly stopMilliseconds: number;
  /** Called for the first of several failures in a row. */
  readonly onError: (error: unknown) => void;
}

export interface SendSignals {
  /** Aborted at the stop: start no further attempt. */
  readonly stopping: AbortSignal;
  /** Aborted some time after that: give up the attempts under way. */
  readonly cut: AbortSignal;
}

const forgetMilliseconds = 3_600_000;

/**
 * Sends the items of a queue, several at a time. A slow item holds up no other: each that ends makes room for the next. Each
 * process has a worker, and a claim belongs to one of them. Items of a process that dies are due again after their lease.
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
