export interface PeriodicTask {
  /** Runs it now, unless it is running. */
  run(): void;
  /** Starts no further run, aborts the one that is running, and resolves when that has ended. */
  stop(): Promise<void>;
}

/** Runs the work now and then every so many milliseconds, never twice at a time; it goes on after a failure. */
export function runPeriodically(
  work: (signal: AbortSignal) => Promise<unknown>,
  milliseconds: number,
  onError: (error: unknown) => void,
): PeriodicTask {
  const stopping = new AbortController();
  let running: Promise<unknown> | null = null;
  const run = (): void => {
    if (stopping.signal.aborted) return;
    running ??= work(stopping.signal)
      .catch(onError)
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
