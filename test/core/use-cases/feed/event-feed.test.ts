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

describe('the feed of a process', () => {
  test('is one of several that each get their own', async () => {
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

  test('costs the database one question when nothing has happened, however many there are', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    for (let count = 0; count < 5; count += 1) await world.watch(newcomer.caller);
    const { last, reads } = { ...world.asked };
    await world.eventFeed.poll();
    expect(world.asked).toMatchObject({ last: last + 1, reads });
  });

  test('asks once for a key whether it may be told of an event, however many streams it has', async () => {
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

  test('asks anew for a stream that comes while another one is answered: what was revoked meanwhile is withheld', async () => {
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
    const told = first.next();
    await settle();
    await world.operator.removeFromPortfolio({
      investorId: newcomer.investor.id,
      companyId: newcomer.companyId,
    });
    const [withheld, alike] = [second.next(), third.next()];
    await settle();
    late.resolve();
    expect((await told).value?.id).toBe(created);
    expect([await isWaiting(withheld), await isWaiting(alike)]).toEqual([true, true]);
    // One that was answered already, one for each of both events after that.
    expect(world.asked.facts).toBe(facts + 3);
  });

  test('asks once where the streams of a reader begin that are opened at the same time', async () => {
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

  test('lets streams of a reader that are behind read the same place once, and one place at a time', async () => {
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
    // One of each reader.
    expect(underWay.most).toBe(2);
  });

  test('brings all that is new, also when that is more than it reads at a time', async () => {
    const world = createFeedWorld();
    const [busy, quiet] = [await world.newcomer(), await world.newcomer()];
    const events = await world.watch(quiet.caller);
    await world.happen(busy, 500);
    const all = await world.happen(quiet);
    await world.eventFeed.poll();
    expect(await arrivedAt(events)).toEqual(all);
  });

  test('goes on for the streams that stay when one is left', async () => {
    const world = createFeedWorld();
    const [one, other] = [await world.newcomer(), await world.newcomer()];
    const left = await world.watch(one.caller);
    const [ofSameKey, ofOther] = [await world.watch(one.caller), await world.watch(other.caller)];
    await left.return?.();
    const expected = [await world.happen(one), await world.happen(other)];
    await world.eventFeed.poll();
    expect([await arrivedAt(ofSameKey), await arrivedAt(ofOther)]).toEqual(expected);
  });

  test('asks the database nothing when the last reader left while it read', async () => {
    const { world, newcomer, events } = await aReader();
    await world.happen(newcomer);
    const polling = world.eventFeed.poll();
    await events.return?.();
    await polling;
    const before = { ...world.asked };
    await world.eventFeed.poll();
    expect(world.asked).toEqual(before);
  });

  test('asks the database nothing when the only reader left while its stream was opened', async () => {
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

  test('asks who may be told of a change of data alone, once for all changes of a company', async () => {
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

  test('asks once about each key that has a stream, and about no other', async () => {
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

describe('the streams that are open at a time', () => {
  test('are bounded for an investor, whatever keys they were opened with', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const streams = [];
    for (let count = 0; count < 5; count += 1) {
      const { key } = await world.key(newcomer.investor);
      streams.push(await world.watch(await world.admit(key)));
    }
    const refusal = await expectRefusal(world.watch(newcomer.caller), 'service_unavailable');
    expect(refusal.retryAfterSeconds).toBeGreaterThan(0);
    expect(refusal.message).toBe('More than 5 event streams of this investor are open.');
    await streams[0]?.return?.();
    await world.watch(newcomer.caller);
    await expectRefusal(world.watch(newcomer.caller), 'service_unavailable');
    expect(world.eventFeed.size).toBe(5);
  });

  test('are bounded for a company, whatever keys they were opened with', async () => {
    const { world, companyId } = await newcomerIn(createFeedWorld());
    for (let count = 0; count < 5; count += 1) {
      await world.watchCompany((await world.companyCaller(companyId)).caller);
    }
    const { caller } = await world.companyCaller(companyId);
    const refusal = await expectRefusal(world.watchCompany(caller), 'service_unavailable');
    expect(refusal.message).toBe('More than 5 event streams of this company are open.');
  });

  test('are bounded for a process, a tenth of them kept for those that have none', async () => {
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
