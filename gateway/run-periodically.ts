export interface PeriodicTask {
  /** Runs it now, unless it is running. */
  run(): void;
  /** Starts no further run, aborts the one that is running, and resolves when that has ended. */
  stop(): Promise<void>;
}

/**
 * Runs the work now and then every so many milliseconds, never twice at a time; it goes on after a failure.
 *
 * @param onError called for each failure; it is a repeated one when the run before failed too
 */
export function runPeriodically(
  work: (signal: AbortSignal) => Promise<unknown>,
  milliseconds: number,
  onError: (error: unknown, isRepeated: boolean) => void,
): PeriodicTask {
  const stopping = new AbortController();
  let running: Promise<unknown> | null = null;
  let isFailing = false;
  const run = (): void => {
    if (stopping.signal.aborted) return;
    running ??= work(stopping.signal)
      .then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          onError(error, isFailing);
          isFailing = true;
        },
      )
      .finally(() => {
        running = null;
      });
  };
  run();
  const timer = setInterval(run, milliseconds);
  return {
    run,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
