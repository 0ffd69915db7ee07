import { withinTime } from '../within-time.ts';

/** Must be shorter than the timeout of the primary process for a worker. */
const waitMilliseconds = 400;

/**
 * Reads a value at each scrape. If the value is late, the scrape returns the last one, or null before the first. The
 * next scrape returns the late one.
 */
export function lastKnown<T>(read: () => Promise<T>): () => Promise<T | null> {
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
