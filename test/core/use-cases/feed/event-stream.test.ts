import { describe, expect, test } from 'vitest';
import type { FeedEvent } from '#core';
import { day, later, newcomerIn } from '../../world.ts';
import {
  aReader,
  arrivedAt,
  createFeedWorld,
  idsOf,
  isWaiting,
  replace,
  settle,
  takeFrom,
} from './event-stream-steps.ts';

describe('an event stream', () => {
  test('begins with the first event after its opening', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const before = await world.happen(newcomer);
    const events = await world.watch(newcomer.caller);
    const all = await world.happen(newcomer);
    await world.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(all.slice(before.length));
  });

  test('leaves out earlier events, even if no poll has sent them yet', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const earlier = await world.watch(newcomer.caller);
    const before = await world.happen(newcomer);
    const events = await world.watch(newcomer.caller);
    const all = await world.happen(newcomer);
    await world.eventFeed.poll();
    expect(await arrivedAt(events)).toEqual(all.slice(before.length));
    expect(await arrivedAt(earlier)).toEqual(all);
  });

  test('leaves out earlier events, even if a poll sends them while the stream opens', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    await world.watch(newcomer.caller);
    const before = await world.happen(newcomer);
    const answer = Promise.withResolvers<void>();
    replace(world.ports.accessEvents, 'findLast', (findLast) => async (...question) => {
      const last = await findLast(...question);
      await answer.promise;
      return last;
    });
    const opening = world.watch(newcomer.caller);
    await world.eventFeed.poll();
    answer.resolve();
    const events = await opening;
    const all = await world.happen(newcomer);
    await world.eventFeed.poll();
    expect(await arrivedAt(events)).toEqual(all.slice(before.length));
  });

  test('sends up to the given number of pending events, and checks the access just before each one', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const { events } = await world.callers.watchInvestorEvents(newcomer.caller);
    const all = await world.happen(newcomer, 3);
    await world.eventFeed.poll();
    await events.ready();
    expect(world.asked.facts).toBe(0);
    expect(idsOf(await events.nextEvents(4))).toEqual(all.slice(0, 4));
    expect(world.asked.facts).toBe(4);
    await world.leave(newcomer);
    const withheld = events.nextEvents(4);
    expect(await isWaiting(withheld)).toBe(true);
    await events.return?.();
    expect(await withheld).toEqual([]);
    await events.ready();
  });

  test('can return its pending events without waiting for further events', async () => {
    const { world, newcomer, events, before } = await aReader(1);
    await events.ready();
    world.broken.add('facts');
    expect(await events.takeEvents(4)).toEqual([]);
    const ready = events.ready();
    expect(await isWaiting(ready)).toBe(true);
    world.broken.clear();
    await world.eventFeed.poll();
    await ready;
    expect(idsOf((await events.takeEvents(4)) ?? [])).toEqual(before.slice(1));
    await world.happen(newcomer);
    await world.eventFeed.poll();
    await world.leave(newcomer);
    expect(await events.takeEvents(4)).toEqual([]);
    await events.return?.();
    expect(await events.takeEvents(4)).toBeNull();
  });

  test('has the events of the last 90 days if it begins at the start of the feed', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const old = await world.happen(newcomer);
    world.clock.set(later(1));
    await world.happen(newcomer);
    world.clock.set(later(90 * day + 1));
    const all = await world.happen(newcomer);
    const events = await world.watch(newcomer.caller, { after: 'evt_start' });
    expect(all).not.toContain(old[0]);
    expect(await arrivedAt(events)).toEqual(all);
    expect(all).toHaveLength(4);
  });

  test('contains every event after a given event, even one from a server with a slow clock', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const [first, second] = await world.happen(newcomer);
    world.clock.set(later(-1));
    const all = await world.happen(newcomer);
    world.clock.set(later(90 * day));
    const events = await world.watch(newcomer.caller, { after: first });
    expect(await arrivedAt(events)).toEqual([second, ...all.slice(2)]);
  });

  test('sends each event only once, even if a poll repeats pending events', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const [first = ''] = await world.happen(newcomer);
    await world.watch(newcomer.caller, { after: first });
    const all = await world.happen(newcomer, 2);
    const { events } = await world.callers.watchInvestorEvents(newcomer.caller, { after: first });
    await events.ready();
    await world.eventFeed.poll();
    expect(await arrivedAt(events)).toEqual(all.slice(1));
  });

  test('sends every event exactly once, wherever a client closes and resumes it', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const [first = ''] = await world.happen(newcomer);
    const seen = [first];
    // A second stream keeps the position in the feed while the first stream closes and resumes.
    const other = await world.watch(newcomer.caller, { after: first });
    let all: string[] = [];
    for (let cut = 0; cut < 60; cut += 1) {
      const events = await world.watch(newcomer.caller, {
        after: seen.at(-1) ?? null,
      });
      if (cut % 3 === 0) await world.eventFeed.poll();
      all = await world.happen(newcomer, cut % 4);
      if (cut % 2 === 0) await world.eventFeed.poll();
      const taking = takeFrom(events)(all.length - seen.length - (cut % 5 === 0 ? 1 : 0));
      all = await world.happen(newcomer, cut % 2);
      await world.eventFeed.poll();
      seen.push(...idsOf(await taking));
      await events.return?.();
    }
    const rest = await world.watch(newcomer.caller, {
      after: seen.at(-1) ?? null,
    });
    seen.push(...idsOf(await takeFrom(rest)(all.length - seen.length)));
    expect(seen).toEqual(all);
    expect([first, ...idsOf(await takeFrom(other)(all.length - 1))]).toEqual(all);
  });

  test('reads the database page by page if many events are pending', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const all = await world.happen(newcomer, 130);
    const events = await world.watch(newcomer.caller, { after: all[0] });
    const taken = await takeFrom(events)(150);
    await world.happen(newcomer);
    await world.eventFeed.poll();
    taken.push(...(await takeFrom(events)(111)));
    expect(idsOf(taken)).toEqual((await world.happen(newcomer)).slice(1, 262));
  });

  test('waits for new events if a full page ends with the newest event', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const all = await world.happen(newcomer, 51);
    const events = await world.watch(newcomer.caller, { after: all[1] });
    expect(idsOf(await takeFrom(events)(100))).toEqual(all.slice(2));
    const next = events.next();
    expect(await isWaiting(next)).toBe(true);
    const more = await world.happen(newcomer);
    await world.eventFeed.poll();
    expect((await next).value?.id).toBe(more[102]);
  });

  test('loses no event that happens while the stream reads older events', async () => {
    const { world, newcomer, events } = await aReader(2);
    const answer = Promise.withResolvers<void>();
    world.slow.answer = answer.promise;
    const { reads } = world.asked;
    const next = events.next();
    while (world.asked.reads === reads) await Promise.resolve();
    world.slow.answer = null;
    const all = await world.happen(newcomer);
    await world.eventFeed.poll();
    answer.resolve();
    const taken = [(await next).value as FeedEvent, ...(await takeFrom(events)(4))];
    expect(idsOf(taken)).toEqual(all.slice(1));
  });

  test('sends an event only once, even if a page and a poll both contain it', async () => {
    const { world, newcomer, events } = await aReader(2);
    const question = Promise.withResolvers<void>();
    world.slow.question = question.promise;
    const { reads } = world.asked;
    const next = events.next();
    while (world.asked.reads === reads) await Promise.resolve();
    world.slow.question = null;
    const brought = await world.happen(newcomer);
    await world.eventFeed.poll();
    question.resolve();
    expect([(await next).value?.id, ...(await arrivedAt(events))]).toEqual(brought.slice(1));
  });

  test('buffers up to a thousand events for a slow client', async () => {
    const { world, newcomer, events } = await aReader();
    await world.flood(newcomer, 1_000);
    await world.eventFeed.poll();
    const { reads } = world.asked;
    expect(await arrivedAt(events)).toHaveLength(1000);
    expect(world.asked.reads).toBe(reads);
  });

  test('reads the database again if a slow client has more than a thousand pending events', async () => {
    const { world, newcomer, events } = await aReader();
    const all: string[] = [];
    for (let times = 0; times < 3; times += 1) {
      await world.flood(newcomer, 400);
      await world.eventFeed.poll();
    }
    for (const event of await world.ports.accessEvents.read({
      reader: null,
      after: null,
      since: null,
      limit: 5000,
    }))
      all.push(event.id);
    const before = world.asked.reads;
    expect(idsOf(await takeFrom(events)(1200))).toEqual(all);
    expect(world.asked.reads).toBeGreaterThan(before);
  });

  test('loses no event if the buffer overflows during an access check', async () => {
    const { world, newcomer, events } = await aReader();
    await world.happen(newcomer);
    await world.eventFeed.poll();
    const first = events.next();
    await world.flood(newcomer, 1_200);
    // The stream gets the events of both polls while its access check is still running.
    const answer = Promise.withResolvers<void>();
    replace(world.ports.accessFacts, 'read', (read) => async (question) => {
      await answer.promise;
      return read(question);
    });
    const second = first.then(() => events.next());
    await settle();
    await world.eventFeed.poll();
    answer.resolve();
    const taken = [await first, await second].map(({ value }) => (value as FeedEvent).id);
    taken.push(...idsOf(await takeFrom(events)(1200)));
    const all = await world.ports.accessEvents.read({
      reader: null,
      after: null,
      since: null,
      limit: 5000,
    });
    expect(taken).toEqual(idsOf(all));
  });
});

test('a client that has received no event can resume from the position where its stream began', async () => {
  const { world, newcomer } = await newcomerIn(createFeedWorld());
  const { watchInvestorEvents } = world.callers;
  const first = await watchInvestorEvents(newcomer.caller);
  await first.events.return?.();
  const [created = '', withdrawn] = await world.happen(newcomer);
  const second = await watchInvestorEvents(newcomer.caller, { after: first.after });
  expect(idsOf(await takeFrom(second.events)(2))).toEqual([created, withdrawn]);
  const third = await watchInvestorEvents(newcomer.caller);
  expect([third.after, second.after]).toEqual([withdrawn, first.after]);
});

test('an event stream loses no event if the feed polls while the stream opens', async () => {
  const { world, newcomer } = await newcomerIn(createFeedWorld());
  const opening = world.watch(newcomer.caller);
  await world.eventFeed.poll();
  const events = await opening;
  const all = await world.happen(newcomer);
  await world.eventFeed.poll();
  const seen: string[] = [];
  for await (const { id } of events) {
    seen.push(id);
    if (seen.length === all.length) break;
  }
  expect(seen).toEqual(all);
  expect(world.eventFeed.size).toBe(0);
});
