import { AccessError, type PolledEventFeed } from '#core';
import { createWaker, runPeriodically } from './run-periodically.ts';

interface EventPollerOptions {
  /** Called each time the feed was read. */
  readonly onRead?: () => void;
  /** Called for the first of several failures in a row. */
  readonly onOutage?: (error: unknown) => void;
  readonly onError: (error: unknown) => void;
}

export interface EventPoller {
  /** Must be called after a change by this process. */
  wake(): void;
  stop(): Promise<void>;
}

/** The delay of another process's events, and its limit while the feed can't be read. */
const pollMilliseconds = 400;
const maxPollMilliseconds = 3_000;

/** This process's own changes within this time are read together. */
const wakeMilliseconds = 10;

/** The time that a stream without events may outlive its key. */
const keysMilliseconds = 5_000;

/** Polls the feed of this process. It needs nothing but the clock: a lost wake-up delays events by less than a second. */
export function startEventPoller(
  feed: Pick<PolledEventFeed, 'poll' | 'checkKeys'>,
  { onRead, onOutage, onError }: EventPollerOptions,
): EventPoller {
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
    // The poller reports an outage.
    (error) => error instanceof AccessError || onError(error),
  );
  const waker = createWaker(polling.run, wakeMilliseconds);
  return {
    wake() {
      if (!isUnavailable) waker.wake();
    },
    async stop() {
      waker.stop();
      await Promise.all([polling.stop(), checking.stop()]);
    },
  };
}
