import { AccessError, type PolledEventFeed } from '#core';
import { createWaker, runPeriodically } from './run-periodically.ts';

interface EventPollerOptions {
  readonly onRead?: () => void;
  /** Called for the first of several failures in a row. */
  readonly onOutage?: (error: unknown) => void;
  readonly onError: (error: unknown) => void;
}

export type EventPoller = ReturnType<typeof startEventPoller>;

/** The longest time until an event of another process is noticed. */
const pollMilliseconds = 400;
/** The longest pause between two attempts while the feed can't be read. */
const maxPollMilliseconds = 3_000;

/** The time between a change and the poll. The poll then also reads further changes of this process. */
const wakeMilliseconds = 10;

/** After an API key was revoked, a stream without events stays open for at most this time. */
const keysMilliseconds = 5_000;

/** Polls the event feed. If a call of `wake` is lost, the next poll reads the events. */
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
    // Ignores an outage, because the poll of the event feed already reports it.
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
