import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Events, FeedEvent } from '#core';
import { subscribe } from '../../graphql-adapter/schema/subscribe.ts';
import { heartbeatMilliseconds } from '../../http/event-stream.ts';
import { createFeedWorld, settle } from '../core/use-cases/feed/event-stream-steps.ts';
import { newcomerIn } from '../core/world.ts';

/** The test sends each event of this feed. */
function openEvents() {
  const pending: FeedEvent[] = [];
  let end: Error | 'left' | null = null;
  let happened = Promise.withResolvers<void>();
  function notify() {
    happened.resolve();
    happened = Promise.withResolvers();
  }
  const events = {
    ready: vi.fn(async () => {
      while (end === null && pending.length === 0) await happened.promise;
    }),
    async takeEvents(limit: number) {
      if (end instanceof Error) throw end;
      return end === null ? pending.splice(0, limit) : null;
    },
    async return() {
      end = 'left';
      notify();
    },
  };
  return {
    opened: Promise.resolve({ after: 'evt_1', events } as unknown as Events),
    handOut(id: string) {
      pending.push({ id } as FeedEvent);
      notify();
    },
    end(error: Error) {
      end = error;
      notify();
    },
    ready: events.ready,
  };
}

async function openSubscription(opened: Promise<Events>) {
  const subscription: { position: string | null } = { position: null };
  const startEvents = (after: string) => {
    subscription.position = after;
  };
  const results = await subscribe(opened, { startEvents, subscription });
  async function read() {
    const { value } = await results.next();
    const { position } = subscription;
    subscription.position = null;
    return { value, position };
  }
  return { results, read };
}

describe('a GraphQL subscription without changes', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function open() {
    const feed = openEvents();
    return { feed, ...(await openSubscription(feed.opened)) };
  }

  it('repeats the position after which a client can resume, and loses no change', async () => {
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
    // Heartbeats don't cause additional reads of the feed.
    expect(feed.ready).toHaveBeenCalledTimes(2);
  });

  it('ends at once if its client disconnects or its key is revoked, and keeps no timer', async () => {
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

describe('an event that comes after a heartbeat', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it('isn’t sent if the investor lost access before the client reads it', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const { read, results } = await openSubscription(
      world.callers.watchAccessRequests(newcomer.caller, {}),
    );
    await read();
    const silence = read();
    await vi.advanceTimersByTimeAsync(heartbeatMilliseconds);
    expect(await silence).toMatchObject({ value: null });
    await world.happen(newcomer);
    await world.eventFeed.poll();
    await settle();
    await world.operator.removeFromPortfolio({
      investorId: newcomer.caller.investorId,
      companyId: newcomer.companyId,
    });
    const later = read();
    await settle();
    await vi.advanceTimersByTimeAsync(heartbeatMilliseconds);
    expect(await later).toMatchObject({ value: null });
    await results.return?.();
    expect(vi.getTimerCount()).toBe(0);
  });
});
