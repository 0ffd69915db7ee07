import { describe, expect, test } from 'vitest';
import type { InvestorCaller } from '#core';
import { importLines } from '../../../support/fixtures.ts';
import { metricLine } from '../../builders.ts';
import { expectRefusal, newcomerIn } from '../../world.ts';
import {
  aReader,
  arrivedAt,
  createFeedWorld,
  idsOf,
  isWaiting,
  replace,
  settle,
  type Take,
  takeFrom,
} from './event-stream-steps.ts';

describe('the event feed of a server process', () => {
  test('sends each stream the events of the company or investor that owns the stream', async () => {
    const world = createFeedWorld();
    const [one, other] = [await world.newcomer(), await world.newcomer()];
    const streams = [
      await world.watch(one.caller),
      await world.watch(other.caller),
      await world.watch(one.caller),
    ];
    const expected = [await world.happen(one), await world.happen(other), await world.happen(one)];
    await world.eventFeed.poll();
    const [a, b, c] = streams.map(takeFrom) as [Take, Take, Take];
    expect(idsOf(await a(4))).toEqual(expected[2]);
    expect(idsOf(await b(2))).toEqual(expected[1]);
    expect(idsOf(await c(4))).toEqual(expected[2]);
  });

  test('polls with one statement when nothing has happened, for any number of open streams', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    for (let count = 0; count < 5; count += 1) await world.watch(newcomer.caller);
    const { last, reads } = { ...world.asked };
    await world.eventFeed.poll();
    expect(world.asked).toMatchObject({ last: last + 1, reads });
  });

  test('checks the access to an event once for all streams of the same key', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const { key } = await world.key(newcomer.investor);
    const callers = [newcomer.caller, await world.admit(key)];
    const streams = [];
    for (const caller of [callers[0], callers[0], callers[0], callers[1], callers[1]])
      streams.push(await world.watch(caller as InvestorCaller));
    const waiting = streams.map((events) => takeFrom(events)(4));
    const all = await world.happen(newcomer, 2);
    const { facts } = world.asked;
    await world.eventFeed.poll();
    for (const taken of await Promise.all(waiting)) expect(idsOf(taken)).toEqual(all);
    expect(world.asked.facts).toBe(facts + callers.length * all.length);
  });

  test('checks the access again for a stream that reads an event during another stream’s check', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const [first, second, third] = [
      await world.watch(newcomer.caller),
      await world.watch(newcomer.caller),
      await world.watch(newcomer.caller),
    ];
    const [created] = await world.happen(newcomer);
    await world.eventFeed.poll();
    const late = Promise.withResolvers<void>();
    replace(world.ports.accessFacts, 'read', (read) => async (question) => {
      const facts = await read(question);
      await late.promise;
      return facts;
    });
    const { facts } = world.asked;
    const handedOut = first.next();
    await settle();
    await world.leave(newcomer);
    const [withheld, alike] = [second.next(), third.next()];
    await settle();
    late.resolve();
    expect((await handedOut).value?.id).toBe(created);
    expect([await isWaiting(withheld), await isWaiting(alike)]).toEqual([true, true]);
    // One check was already running. The events `withheld` and `alike` each needed another check.
    expect(world.asked.facts).toBe(facts + 3);
  });

  test('looks up the newest event once if streams of the same owner open together', async () => {
    const world = createFeedWorld();
    const [newcomer, other] = [await world.newcomer(), await world.newcomer()];
    await world.happen(newcomer);
    const asked: unknown[] = [];
    replace(world.ports.accessEvents, 'findLast', (findLast) => (...question) => {
      asked.push(question[0]);
      return findLast(...question);
    });
    const opened = await Promise.all([
      ...Array.from({ length: 4 }, () => world.watch(newcomer.caller)),
      world.watch(other.caller),
    ]);
    expect(asked).toEqual([
      { investorId: newcomer.investor.id },
      { investorId: other.investor.id },
    ]);
    const all = await world.happen(newcomer);
    await world.eventFeed.poll();
    for (const events of opened.slice(0, 4)) {
      expect(await arrivedAt(events)).toEqual(all.slice(2));
    }
  });

  test('reads one page at a time per owner, and shares it among all streams at the same position', async () => {
    const world = createFeedWorld({ perOwner: 20, total: 40 });
    const [newcomer, other] = [await world.newcomer(), await world.newcomer()];
    const all = await world.happen(newcomer, 4);
    const others = await world.happen(other);
    const open = (after: string | undefined) => world.watch(newcomer.caller, { after });
    const streams = [];
    for (const after of [all[0], all[0], all[0], all[3], all[3], all[5]])
      streams.push({ after, events: await open(after) });
    const ofOther = await world.watch(other.caller, { after: others[0] });
    const underWay = { now: 0, most: 0 };
    let reads = 0;
    replace(world.ports.accessEvents, 'read', (read) => async (query) => {
      reads += 1;
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      await settle();
      underWay.now -= 1;
      return read(query);
    });
    const taken = await Promise.all([
      ...streams.map(({ events, after }) =>
        takeFrom(events)(all.length - 1 - all.indexOf(after ?? '')),
      ),
      takeFrom(ofOther)(others.length - 1),
    ]);
    expect(taken.map(idsOf)).toEqual([
      ...streams.map(({ after }) => all.slice(all.indexOf(after ?? '') + 1)),
      others.slice(1),
    ]);
    expect(reads).toBe(4);
    expect(underWay.most).toBe(2);
  });

  test('sends all new events even if they fill several pages', async () => {
    const world = createFeedWorld();
    const [busy, quiet] = [await world.newcomer(), await world.newcomer()];
    const events = await world.watch(quiet.caller);
    await world.flood(busy, 1_000);
    const all = await world.happen(quiet);
    await world.eventFeed.poll();
    expect(await arrivedAt(events)).toEqual(all);
  });

  test('stops reading when the last stream is closed during a poll', async () => {
    const { world, newcomer, events } = await aReader();
    await world.happen(newcomer);
    const polling = world.eventFeed.poll();
    await events.return?.();
    await polling;
    const before = { ...world.asked };
    await world.eventFeed.poll();
    expect(world.asked).toEqual(before);
  });

  test('stops reading when the only stream is closed before it has opened completely', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const leaving = new AbortController();
    const opening = world.watch(newcomer.caller, {}, leaving.signal);
    leaving.abort();
    expect(await arrivedAt(await opening)).toEqual([]);
    expect(world.eventFeed.size).toBe(0);
    const before = { ...world.asked };
    await world.eventFeed.poll();
    expect(world.asked).toEqual(before);
  });

  test('reads a company’s grants once for all events about its changed data in a poll', async () => {
    const { world, newcomer } = await aReader();
    const asked: (readonly string[])[] = [];
    replace(world.ports.accessEvents, 'findGranted', (findGranted) => (companyIds) => {
      asked.push(companyIds);
      return findGranted(companyIds);
    });
    await world.happen(newcomer);
    await world.eventFeed.poll();
    expect(asked).toEqual([]);
    const { companyId } = newcomer;
    for (const raw_value of [1, 2]) {
      await importLines(world.operator, [metricLine(companyId, { raw_value })]);
    }
    await world.happen(newcomer);
    await world.eventFeed.poll();
    expect(asked).toEqual([[companyId]]);
  });

  test('checks each key with an open stream once, and ends the streams of revoked keys', async () => {
    const world = createFeedWorld();
    const [one, other] = [await world.newcomer(), await world.newcomer()];
    const streams = [await world.watch(one.caller), await world.watch(one.caller)];
    const left = await world.watch(other.caller);
    await left.return?.();
    await streams[0]?.return?.();
    streams.push(await world.watch(one.caller));
    const { keys } = world.asked;
    await world.eventFeed.checkKeys();
    expect(world.asked.keys).toBe(keys + 1);
    expect(world.eventFeed.size).toBe(2);
    await world.operator.revokeApiKey({ id: one.keyId });
    await world.eventFeed.checkKeys();
    for (const events of streams.slice(1)) await expectRefusal(events.next(), 'invalid_api_key');
    expect(world.eventFeed.size).toBe(0);
  });
});

describe('open streams', () => {
  test('are limited per investor and per company, even if they were opened with different credentials', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld({ perOwner: 5, total: 20 }));
    const { investor, companyId } = newcomer;
    const streams = [];
    for (let count = 0; count < 5; count += 1) {
      const { key } = await world.key(investor);
      streams.push(await world.watch(await world.admit(key)));
    }
    const message = 'This investor already has 5 open event streams.';
    const unavailable = 'service_unavailable';
    const refusal = await expectRefusal(world.watch(newcomer.caller), unavailable, message);
    expect(refusal.retryAfterSeconds).toBeGreaterThan(0);
    for (let count = 0; count < 4; count += 1) {
      await world.watchCompany((await world.companyCaller(companyId)).caller);
    }
    const contact = await world.admitContact(companyId);
    await world.watchCompany(contact);
    await expectRefusal(world.watchCompany(contact), unavailable, /^This company already has 5/);
    await streams[0]?.return?.();
    await world.watch(newcomer.caller);
    await expectRefusal(world.watch(newcomer.caller), unavailable);
    expect(world.eventFeed.size).toBe(10);
  });

  test('are limited per process, with a tenth of the limit reserved for owners without an open stream', async () => {
    const world = createFeedWorld({ perOwner: 10, total: 10 });
    const [one, other, third] = [
      await world.newcomer(),
      await world.newcomer(),
      await world.newcomer(),
    ];
    const { watch } = world;
    const streams = [];
    for (let count = 0; count < 9; count += 1) streams.push(await watch(one.caller));
    await expectRefusal(watch(one.caller), 'service_unavailable');
    await watch(other.caller);
    await expectRefusal(watch(third.caller), 'service_unavailable');
    await streams[0]?.return?.();
    await expectRefusal(watch(other.caller), 'service_unavailable');
    await watch(third.caller);
    expect(world.eventFeed.size).toBe(10);
  });
});
