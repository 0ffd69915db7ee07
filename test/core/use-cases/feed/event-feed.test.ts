import { describe, expect, test } from 'vitest';
import type { InvestorCaller } from '#core';
import { expectRefusal } from '../../world.ts';
import {
  arrivedAt,
  createStage,
  idsOf,
  isWaiting,
  settle,
  type Take,
  takeFrom,
} from './event-stream-steps.ts';

describe('the feed of a process', () => {
  test('is one of several that each get their own', async () => {
    const stage = createStage();
    const [one, other] = [await stage.newcomer(), await stage.newcomer()];
    const streams = [
      await stage.watch(one.caller),
      await stage.watch(other.caller),
      await stage.watch(one.caller),
    ];
    const expected = [await stage.happen(one), await stage.happen(other), await stage.happen(one)];
    await stage.eventFeed.poll();
    const [a, b, c] = streams.map(takeFrom) as [Take, Take, Take];
    expect(idsOf(await a(4))).toEqual(expected[2]);
    expect(idsOf(await b(2))).toEqual(expected[1]);
    expect(idsOf(await c(4))).toEqual(expected[2]);
  });

  test('costs the database one question when nothing has happened, however many there are', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    for (let count = 0; count < 5; count += 1) await stage.watch(newcomer.caller);
    const { last, reads } = { ...stage.asked };
    await stage.eventFeed.poll();
    expect(stage.asked).toMatchObject({ last: last + 1, reads });
  });

  test('asks once for a key whether it may be told of an event, however many streams it has', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const { key } = await stage.key(newcomer.investor);
    const callers = [newcomer.caller, await stage.admit(key)];
    const streams = [];
    for (const caller of [callers[0], callers[0], callers[0], callers[1], callers[1]])
      streams.push(await stage.watch(caller as InvestorCaller));
    const waiting = streams.map((events) => takeFrom(events)(4));
    const all = await stage.happen(newcomer, 2);
    const { facts } = stage.asked;
    await stage.eventFeed.poll();
    for (const taken of await Promise.all(waiting)) expect(idsOf(taken)).toEqual(all);
    expect(stage.asked.facts).toBe(facts + callers.length * all.length);
  });

  test('asks anew for a stream that comes while another one is answered: what was revoked meanwhile is withheld', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const [first, second, third] = [
      await stage.watch(newcomer.caller),
      await stage.watch(newcomer.caller),
      await stage.watch(newcomer.caller),
    ];
    const [created] = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    const { accessFacts } = stage.ports;
    const { read } = accessFacts;
    const late = Promise.withResolvers<void>();
    Object.assign(accessFacts, {
      async read(question: Parameters<typeof read>[0]) {
        const facts = await read(question);
        await late.promise;
        return facts;
      },
    });
    const { facts } = stage.asked;
    const told = first.next();
    await settle();
    await stage.operator.removeFromPortfolio({
      investorId: newcomer.investor.id,
      companyId: newcomer.companyId,
    });
    const [withheld, alike] = [second.next(), third.next()];
    await settle();
    late.resolve();
    expect((await told).value?.id).toBe(created);
    expect([await isWaiting(withheld), await isWaiting(alike)]).toEqual([true, true]);
    // One that was answered already, one for each of both events after that.
    expect(stage.asked.facts).toBe(facts + 3);
  });

  test('asks once where the streams of a reader begin that are opened at the same time', async () => {
    const stage = createStage();
    const [newcomer, other] = [await stage.newcomer(), await stage.newcomer()];
    await stage.happen(newcomer);
    const { accessEvents } = stage.ports;
    const { findLast } = accessEvents;
    const asked: unknown[] = [];
    Object.assign(accessEvents, {
      findLast(reader: Parameters<typeof findLast>[0]) {
        asked.push(reader);
        return findLast(reader);
      },
    });
    const opened = await Promise.all([
      ...Array.from({ length: 4 }, () => stage.watch(newcomer.caller)),
      stage.watch(other.caller),
    ]);
    expect(asked).toEqual([
      { investorId: newcomer.investor.id },
      { investorId: other.investor.id },
    ]);
    const all = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    for (const events of opened.slice(0, 4)) {
      expect(await arrivedAt(events)).toEqual(all.slice(2));
    }
  });

  test('lets streams of a reader that are behind read the same place once, and one place at a time', async () => {
    const stage = createStage({ perOwner: 20, total: 40 });
    const [newcomer, other] = [await stage.newcomer(), await stage.newcomer()];
    const all = await stage.happen(newcomer, 4);
    const others = await stage.happen(other);
    const open = (after: string | undefined) => stage.watch(newcomer.caller, { after });
    const streams = [];
    for (const after of [all[0], all[0], all[0], all[3], all[3], all[5]])
      streams.push({ after, events: await open(after) });
    const ofOther = await stage.watch(other.caller, { after: others[0] });
    const { accessEvents } = stage.ports;
    const { read } = accessEvents;
    const underWay = { now: 0, most: 0 };
    let reads = 0;
    Object.assign(accessEvents, {
      async read(query: Parameters<typeof read>[0]) {
        reads += 1;
        underWay.now += 1;
        underWay.most = Math.max(underWay.most, underWay.now);
        await settle();
        underWay.now -= 1;
        return read(query);
      },
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
    const stage = createStage();
    const [busy, quiet] = [await stage.newcomer(), await stage.newcomer()];
    const events = await stage.watch(quiet.caller);
    await stage.happen(busy, 500);
    const all = await stage.happen(quiet);
    await stage.eventFeed.poll();
    expect(await arrivedAt(events)).toEqual(all);
  });

  test('goes on for the streams that stay when one is left', async () => {
    const stage = createStage();
    const [one, other] = [await stage.newcomer(), await stage.newcomer()];
    const left = await stage.watch(one.caller);
    const [ofSameKey, ofOther] = [await stage.watch(one.caller), await stage.watch(other.caller)];
    await left.return?.();
    const expected = [await stage.happen(one), await stage.happen(other)];
    await stage.eventFeed.poll();
    expect([await arrivedAt(ofSameKey), await arrivedAt(ofOther)]).toEqual(expected);
  });

  test('asks the database nothing when the last reader left while it read', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const events = await stage.watch(newcomer.caller);
    await stage.happen(newcomer);
    const polling = stage.eventFeed.poll();
    await events.return?.();
    await polling;
    const before = { ...stage.asked };
    await stage.eventFeed.poll();
    expect(stage.asked).toEqual(before);
  });

  test('asks the database nothing when the only reader left while its stream was opened', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const leaving = new AbortController();
    const opening = stage.watch(newcomer.caller, {}, leaving.signal);
    leaving.abort();
    expect(await arrivedAt(await opening)).toEqual([]);
    expect(stage.eventFeed.size).toBe(0);
    const before = { ...stage.asked };
    await stage.eventFeed.poll();
    expect(stage.asked).toEqual(before);
  });

  test('asks once about each key that has a stream, and about no other', async () => {
    const stage = createStage();
    const [one, other] = [await stage.newcomer(), await stage.newcomer()];
    const streams = [await stage.watch(one.caller), await stage.watch(one.caller)];
    const left = await stage.watch(other.caller);
    await left.return?.();
    await streams[0]?.return?.();
    streams.push(await stage.watch(one.caller));
    const { keys } = stage.asked;
    await stage.eventFeed.checkKeys();
    expect(stage.asked.keys).toBe(keys + 1);
    expect(stage.eventFeed.size).toBe(2);
    await stage.operator.revokeApiKey({ id: one.keyId });
    await stage.eventFeed.checkKeys();
    for (const events of streams.slice(1)) await expectRefusal(events.next(), 'invalid_api_key');
    expect(stage.eventFeed.size).toBe(0);
  });
});

describe('the streams that are open at a time', () => {
  test('are bounded for an investor, whatever keys they were opened with', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const streams = [];
    for (let count = 0; count < 5; count += 1) {
      const { key } = await stage.key(newcomer.investor);
      streams.push(await stage.watch(await stage.admit(key)));
    }
    const refusal = await expectRefusal(stage.watch(newcomer.caller), 'service_unavailable');
    expect(refusal.retryAfterSeconds).toBeGreaterThan(0);
    expect(refusal.message).toBe('More than 5 event streams of this investor are open.');
    await streams[0]?.return?.();
    await stage.watch(newcomer.caller);
    expect(stage.eventFeed.size).toBe(5);
  });

  test('are bounded for a company, whatever keys they were opened with', async () => {
    const stage = createStage();
    const { companyId } = await stage.newcomer();
    for (let count = 0; count < 5; count += 1) {
      await stage.watchCompany((await stage.companyCaller(companyId)).caller);
    }
    const { caller } = await stage.companyCaller(companyId);
    const refusal = await expectRefusal(stage.watchCompany(caller), 'service_unavailable');
    expect(refusal.message).toBe('More than 5 event streams of this company are open.');
  });

  test('are bounded for a process, a tenth of them kept for those that have none', async () => {
    const stage = createStage({ perOwner: 10, total: 10 });
    const [one, other, third] = [
      await stage.newcomer(),
      await stage.newcomer(),
      await stage.newcomer(),
    ];
    const { watch } = stage;
    const streams = [];
    for (let count = 0; count < 9; count += 1) streams.push(await watch(one.caller));
    await expectRefusal(watch(one.caller), 'service_unavailable');
    await watch(other.caller);
    await expectRefusal(watch(third.caller), 'service_unavailable');
    await streams[0]?.return?.();
    await expectRefusal(watch(other.caller), 'service_unavailable');
    await watch(third.caller);
    expect(stage.eventFeed.size).toBe(10);
  });
});
