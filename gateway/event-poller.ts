import { AccessError, type PolledEventFeed } from '#core';
import { createWaker, runPeriodically } from './run-periodically.ts';

interface EventPollerOptions {
  readonly onRead?: () => void;
  /** Called for the first of several failures in a row. */
  readonly onOutage?: (error: unknown) => void;
  readonly onError: (error: unknown) => void;
}

export type EventPoller = ReturnType<typeof startEventPoller>;

/** The longest delay of another process's events. */
const pollMilliseconds = 400;
/** The longest pause between attempts while the feed can't be read. */
const maxPollMilliseconds = 3_000;

/** One poll reads all changes that this process makes within this time. */
const wakeMilliseconds = 10;

/** The longest time that a stream without events continues after its API key was revoked. */
const keysMilliseconds = 5_000;

/** Polls the event feed. If a wake-up is lost, the next poll reads the events. */
export function startEventPoller(
  feed: Pick<PolledEventFeed, 'poll' | 'checkKeys'>,
  { onRead, onOutage, onError }: EventPollerOptions,
) {
  let isUnavailable = false;
  const polling = runPeriodically(
    async () => {
      await feed.poll();
      isUnavailable = false;
      onRead?.();
    },
    pollMilliseconds,
    (error, isRepeated) => {
      isUnavailable = true;
      if (!isRepeated) onOutage?.(error);
    },
    maxPollMilliseconds,
  );
  const checking = runPeriodically(
    () => feed.checkKeys(),
    keysMilliseconds,
    // The poll already reports an outage.
    (error) => error instanceof AccessError || onError(error),
  );
  const waker = createWaker(polling.run, wakeMilliseconds);
  return {
    /** Must be called after each change that this process makes. */
    wake(): void {
      if (!isUnavailable) waker.wake();
    },
    async stop(): Promise<void> {
      waker.stop();
      await Promise.all([polling.stop(), checking.stop()]);
    },
  };
}
