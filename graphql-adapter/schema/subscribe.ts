import type { Events, FeedEvent } from '#core';
import type { Context } from '../context.ts';

/**
 * Opens the events of a subscription with a null before them. Its result has no change but a position (see
 * `presentEventResults`), so that clients can resume when the connection is lost before the first change.
 */
export async function subscribe<Event extends FeedEvent>(
  opened: Promise<Events<Event>>,
  { startEvents }: Pick<Context, 'startEvents'>,
): Promise<AsyncIterableIterator<Event | null, undefined>> {
  const { after, events } = await opened;
  startEvents(after);
  let hasBegun = false;
  // A generator would wait for the next event before it releases a client.
  const results: AsyncIterableIterator<Event | null, undefined> = {
    async next() {
      if (hasBegun) return events.next();
      hasBegun = true;
      return { done: false, value: null };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return results;
    },
  };
  return results;
}

export const afterDescription =
  'ID of your last event, up to 90 days old. Later events are sent first. Without it, the subscription starts with new events.';

/** Ends the description of each subscription. */
export const firstResultDescription =
  'The first result is null and has a position in `extensions.position`. Resume with it as `after` until you have the ID of a change.';
