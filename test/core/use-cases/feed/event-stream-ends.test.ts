import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { AccessError } from '#core';
import { expectRefusal, newcomerIn } from '../../world.ts';
import {
  aReader,
  createFeedWorld,
  idsOf,
  isWaiting,
  settle,
  takeFrom,
} from './event-stream-steps.ts';

describe('while the database is down', () => {
  test.each(['facts', 'read', 'last'] as const)(
    'a stream stays open and later sends all events, even if this query fails meanwhile: %s',
    async (part) => {
      const {
        world,
        newcomer,
        events,
        before: [, second],
      } = await aReader(1);
      world.broken.add(part);
      const next = events.next();
      await settle();
      await world.eventFeed.poll().catch(() => undefined);
      if (part !== 'last') expect(await isWaiting(next)).toBe(true);
      world.broken.clear();
      const all = await world.happen(newcomer);
      await world.eventFeed.poll();
      expect((await next).value?.id).toBe(second);
      expect(idsOf(await takeFrom(events)(2))).toEqual(all.slice(2));
    },
  );

  test('a new stream is refused and doesn’t count as open', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    world.broken.add('last');
    await expectRefusal(world.watch(newcomer.caller), 'service_unavailable');
    expect(world.eventFeed.size).toBe(0);
  });

  test('the check of all keys fails, but all streams stay open', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    await world.watch(newcomer.caller);
    world.broken.add('keys');
    await expectRefusal(world.eventFeed.checkKeys(), 'service_unavailable');
    expect(world.eventFeed.size).toBe(1);
  });
});

describe('a stream that its client closes', () => {
  test('ends at once while it waits for events, and causes no further polls', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const leaving = new AbortController();
    const aborted = await world.watch(newcomer.caller, {}, leaving.signal);
    const stays = new AbortController();
    const returned = await world.watch(newcomer.caller, {}, stays.signal);
    const waiting = [aborted.next(), returned.next()];
    await settle();
    leaving.abort();
    const done = { done: true, value: undefined };
    expect(await returned.return?.()).toEqual(done);
    expect(await returned.return?.()).toEqual(done);
    expect(await Promise.all(waiting)).toEqual([done, done]);
    expect(getEventListeners(stays.signal, 'abort')).toEqual([]);
    expect(world.eventFeed.size).toBe(0);
    const { last } = { ...world.asked };
    await world.eventFeed.poll();
    expect(world.asked.last).toBe(last);
  });

  test('ends during an access check, and doesn’t send the event', async () => {
    const { world, events } = await aReader(1);
    const next = events.next();
    const done = next.then(({ done }) => done);
    while (world.asked.facts === 0) await Promise.resolve();
    await events.return?.();
    expect(await done).toBe(true);
  });

  test('ends during a read that then fails', async () => {
    const { world, events } = await aReader(1);
    const answer = Promise.withResolvers<void>();
    world.slow.answer = answer.promise;
    const next = events.next();
    await events.return?.();
    answer.reject(new AccessError('service_unavailable'));
    expect(await isWaiting(next)).toBe(false);
    expect((await next).done).toBe(true);
  });

  test('ends at once while it waits for a database that is down', async () => {
    const { world, events } = await aReader(1);
    world.broken.add('read');
    const next = events.next();
    expect(await isWaiting(next)).toBe(true);
    await events.return?.();
    expect(await isWaiting(next)).toBe(false);
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('is never opened if its abort signal is already aborted', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const { caller } = newcomer;
    const events = await world.watch(caller, {}, AbortSignal.abort());
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(world.eventFeed.size).toBe(0);
  });

  test('doesn’t affect the next stream, even if it is closed during a poll', async () => {
    const { world, newcomer, events: first } = await aReader();
    await world.happen(newcomer);
    const polling = world.eventFeed.poll();
    await first.return?.();
    await polling;
    const second = await world.watch(newcomer.caller);
    const all = await world.happen(newcomer);
    await world.eventFeed.poll();
    expect(idsOf(await takeFrom(second)(2))).toEqual(all.slice(2));
  });

  test('reports an unexpected error before it is closed', async () => {
    const { world, newcomer, events } = await aReader();
    Object.assign(world.ports.accessFacts, {
      read: () => Promise.reject(new TypeError('a mistake')),
    });
    await world.happen(newcomer);
    await world.eventFeed.poll();
    await expect(events.next()).rejects.toThrow(TypeError);
    expect(world.eventFeed.size).toBe(0);
  });

  /** Closes a stream during an access check that then fails, and returns the stream's result. */
  async function leaveBefore(failure: Error) {
    const { world, events } = await aReader(1);
    const answer = Promise.withResolvers<never>();
    Object.assign(world.ports.accessFacts, { read: () => answer.promise });
    const next = events.next();
    await settle();
    await events.return?.();
    answer.reject(failure);
    return next;
  }

  test('reports an unexpected error even after it is closed', async () => {
    await expect(leaveBefore(new TypeError('a mistake'))).rejects.toThrow(TypeError);
  });

  test('reports no refusal after it is closed', async () => {
    expect(await leaveBefore(new AccessError('invalid_api_key'))).toMatchObject({ done: true });
  });
});
