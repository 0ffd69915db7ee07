interface Repetition {
  /** No further run; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/** Runs the work now and then, never twice at a time; a failure is told and does not end it. */
export function repeat(
  work: () => Promise<unknown>,
  everyMilliseconds: number,
  onError: (error: unknown) => void,
): Repetition {
  let underWay: Promise<void> | null = null;
  const run = (): void => {
    underWay ??= work()
      .then(() => undefined, onError)
      .finally(() => {
        underWay = null;
      });
  };
  run();
  const timer = setInterval(run, everyMilliseconds);
  return {
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}
