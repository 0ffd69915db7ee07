export interface PeriodicTask {
  /** Runs the work now. If it is running, it runs once more after that. */
  run(): void;
  /** Aborts the running work, waits for its end, and starts no further run. */
  stop(): Promise<void>;
}

/**
 * Runs the work now and again after each pause, never twice at a time. It continues after a failure.
 *
 * @param onError called for each failure. `isRepeated` is true if the run before failed too.
 * @param maxMilliseconds limits the pause, which doubles with each failure in a row; absent: the pause never grows
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

/** Calls a function once for several calls of `wake`. */
export interface Waker {
  wake(): void;
  stop(): void;
}

/**
 * @param after the milliseconds from the first call of `wake` to that of the function
 * @param between the least milliseconds from one call of the function to the next
 */
export function createWaker(run: () => void, after: number, between = 0): Waker {
  let timer: NodeJS.Timeout | undefined;
  let ranAt = Number.NEGATIVE_INFINITY;
  return {
    wake() {
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
