import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Events, FeedEvent } from '#core';
import { subscribe } from '../../graphql-adapter/schema/subscribe.ts';
import { heartbeatMilliseconds } from '../../http/event-stream.ts';

/** Events that a test sends one by one. */
function openEvents() {
  let reading = Promise.withResolvers<IteratorResult<FeedEvent, undefined>>();
  const events = {
    next: vi.fn(() => {
      reading = Promise.withResolvers();
      return reading.promise;
    }),
    return: async () => reading.resolve({ done: true, value: undefined }),
  };
  return {
    opened: Promise.resolve({ after: 'evt_1', events } as unknown as Events),
    handOut: (id: string) => reading.resolve({ done: false, value: { id } as FeedEvent }),
    end: (error: Error) => reading.reject(error),
    next: events.next,
  };
}

describe('a subscription of GraphQL without changes', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function open() {
    const feed = openEvents();
    const subscription: { position: string | null } = { position: null };
    const startEvents = (after: string) => {
      subscription.position = after;
    };
    const results = await subscribe(feed.opened, { startEvents, subscription });
    async function read() {
      const { value } = await results.next();
      const { position } = subscription;
      subscription.position = null;
      return { value, position };
    }
    return { feed, results, read };
  }

  it('repeats the position to resume after, and loses no change', async () => {
    const { feed, read } = await open();
    expect(await read()).toEqual({ value: null, position: 'evt_1' });
    for (let silence = 0; silence < 2; silence += 1) {
      const result = read();
      await vi.advanceTimersByTimeAsync(heartbeatMilliseconds);
      expect(await result).toEqual({ value: null, position: 'evt_1' });
    }
    const change = read();
    feed.handOut('evt_2');
    expect(await change).toEqual({ value: { id: 'evt_2' }, position: null });
    const later = read();
    await vi.advanceTimersByTimeAsync(heartbeatMilliseconds);
    expect(await later).toEqual({ value: null, position: 'evt_2' });
    // The heartbeats cause no additional reads.
    expect(feed.next).toHaveBeenCalledTimes(2);
  });

  it('ends at once when its client disconnects or its key is revoked, and keeps no timer', async () => {
    const left = await open();
    const refused = await open();
    for (const { read } of [left, refused]) await read();
    const last = left.results.next();
    await left.results.return?.();
    expect(await last).toEqual({ done: true, value: undefined });
    const end = refused.results.next();
    refused.feed.end(new Error('revoked'));
    await expect(end).rejects.toThrow('revoked');
    expect(vi.getTimerCount()).toBe(0);
  });
});
