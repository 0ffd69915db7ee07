import { withinTime } from '../within-time.ts';

/** The longest wait for a value. Must be shorter than the time that the primary process waits for a worker. */
const waitMilliseconds = 400;

/**
 * Reads a value each time the metrics are scraped. If the read takes too long, returns the previous value, or null
 * before the first value. The next scrape then gets the late value.
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
