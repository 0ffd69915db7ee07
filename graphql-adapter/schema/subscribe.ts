import type { Events, FeedEvent } from '#core';
import { heartbeatMilliseconds } from '#http';
import type { Context } from '../context.ts';

/**
 * Also yields null at the start and after each longer silence. The result for null contains the event position after
 * which a client can resume. So clients can resume before the first event, and notice a dead connection.
 */
export async function subscribe<Event extends FeedEvent>(
  opened: Promise<Events<Event>>,
  { startEvents, subscription }: Pick<Context, 'startEvents' | 'subscription'>,
): Promise<AsyncIterableIterator<Event | null, undefined>> {
  const { after, events } = await opened;
  startEvents(after);
  let lastId = after;
  let hasStarted = false;
  let isWaiting = false;
  let onReady = () => {};

  function wait(): void {
    if (isWaiting) return;
    isWaiting = true;
    void events.ready().then(() => {
      isWaiting = false;
      onReady();
    });
  }

  /** Resolves to false if no event comes before the deadline. `Promise.race` would leak memory in a silent stream. */
  const waitForEvent = (deadline: number) =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(resolve, deadline - performance.now(), false);
      onReady = () => {
        clearTimeout(timer);
        resolve(true);
      };
      wait();
    });

  /**
   * Returns null if no event comes before the next heartbeat. Takes an event only while the client waits, because this
   * also checks the client's access.
   */
  async function read(): Promise<IteratorResult<Event, undefined> | null> {
    const deadline = performance.now() + heartbeatMilliseconds;
    while (performance.now() < deadline && (await waitForEvent(deadline))) {
      const taken = await events.takeEvents(1);
      if (taken === null) return { done: true, value: undefined };
      const [value] = taken;
      if (value !== undefined) return { done: false, value };
    }
    return null;
  }

  // This isn't a generator: after a client disconnects, a generator stops only after the next event.
  const results: AsyncIterableIterator<Event | null, undefined> = {
    async next() {
      if (!hasStarted) {
        hasStarted = true;
        return { done: false, value: null };
      }
      const result = await read();
      if (result === null) {
        subscription.position = lastId;
        return { done: false, value: null };
      }
      if (!result.done) lastId = result.value.id;
      return result;
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

export const firstResultDescription =
  'The first result is null. After each 15 seconds without a change, another null result follows. A null result has a position in `extensions.position`. To resume before you have the ID of a change, send this position as `after`. If you get no result for 45 seconds, connect again.';
