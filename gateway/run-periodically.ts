export interface PeriodicTask {
  /** Runs the work now. If the work is already running, runs it once more afterwards. */
  run(): void;
  /** Aborts the running work, waits until it has stopped, and starts no further run. */
  stop(): Promise<void>;
}

/**
 * Runs the work now, and again after each pause. Only one run is active at a time. A failure doesn't stop further runs.
 *
 * @param onError called for each failure. `isRepeated` is true if the previous run also failed
 * @param maxMilliseconds the longest pause. The pause doubles with each failure in a row. By default, the pause doesn't
 *   grow
 */
export function runPeriodically(
  work: (signal: AbortSignal) => Promise<unknown>,
  milliseconds: number,
  onError: (error: unknown, isRepeated: boolean) => void,
  maxMilliseconds: number = milliseconds,
): PeriodicTask {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let isDue = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;

  async function runUntilDone(): Promise<void> {
    try {
      while (isDue && !stopping.signal.aborted) {
        isDue = false;
        await work(stopping.signal);
      }
      failures = 0;
    } catch (error) {
      onError(error, failures > 0);
      failures += 1;
    }
    running = null;
    const pause = Math.min(milliseconds * 2 ** failures, maxMilliseconds);
    if (!stopping.signal.aborted) timer = setTimeout(run, pause);
  }

  function run(): void {
    isDue = true;
    if (running !== null || stopping.signal.aborted) return;
    clearTimeout(timer);
    running = runUntilDone();
  }

  run();
  return {
    run,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/**
 * Combines several calls of `wake` into one call of `run`.
 *
 * @param after the milliseconds from the first `wake` to the call
 * @param between the shortest time between two calls, in milliseconds
 */
export function createWaker(run: () => void, after: number, between = 0) {
  let timer: NodeJS.Timeout | undefined;
  let ranAt = Number.NEGATIVE_INFINITY;
  return {
    wake(): void {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          ranAt = performance.now();
          run();
        },
        Math.max(after, ranAt + between - performance.now()),
      );
    },
    stop: () => clearTimeout(timer),
  };
}
