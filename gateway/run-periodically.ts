interface Repetition {
  /** Runs the work now, unless it is under way. */
  run(): void;
  /** No further run, and a sign to the one under way; resolves when that has ended. */
  stop(): Promise<void>;
}

/** Runs the work now and then, never twice at a time; a failure is told and does not end it. */
export function repeat(
  work: (signal: AbortSignal) => Promise<unknown>,
  everyMilliseconds: number,
  onError: (error: unknown) => void,
): Repetition {
  const stopping = new AbortController();
  let underWay: Promise<void> | null = null;
  const run = (): void => {
    if (stopping.signal.aborted) return;
    underWay ??= work(stopping.signal)
      .then(() => undefined, onError)
      .finally(() => {
        underWay = null;
      });
  };
  run();
  const timer = setInterval(run, everyMilliseconds);
  return {
    run,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await underWay;
    },
  };
}
