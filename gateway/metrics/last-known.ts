import { withinTime } from '../within-time.ts';

/** The primary process waits a limited time for a worker. This time must be shorter. */
const waitMilliseconds = 400;

/**
 * Reads a value at each scrape. If the read takes too long, the scrape returns the previous value. Before the first
 * value, the scrape returns null. The late value is returned at the next scrape.
 */
export function readWithFallback<T>(read: () => Promise<T>): () => Promise<T | null> {
  let running: Promise<void> | undefined;
  let last: T | null = null;
  return async () => {
    running ??= read()
      .then(
        (value) => {
          last = value;
        },
        () => undefined,
      )
      .finally(() => {
        running = undefined;
      });
    await withinTime(running, waitMilliseconds);
    return last;
  };
}
