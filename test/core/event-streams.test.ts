import { describe, expect, test } from 'vitest';
import {
  AccessError,
  type ContactCaller,
  createCompanyUseCases,
  EventFeed,
  type Events,
  type FeedEvent,
  type Ports,
} from '#core';
import { aCall } from '../support/call.ts';
import { createWorld, day, expectRefusal, later, type Newcomer } from './world.ts';

type Take = (count: number) => Promise<FeedEvent[]>;

/** A world whose database can be taken away, and which tells what was asked of it. */
function createStage(limits = { perKey: 5, total: 8 }) {
  const broken = new Set<'read' | 'facts' | 'keys' | 'last'>();
  const asked = { reads: 0, last: 0, facts: 0 };
  const slow: { answer: Promise<void> | null } = { answer: null };
  const check = (part: 'read' | 'facts' | 'keys' | 'last') => {
    if (broken.has(part)) throw new AccessError('service_unavailable');
  };
  const world = createWorld((ports) => {
    const accessEvents: Ports['accessEvents'] = {
      ...ports.accessEvents,
      async read(query) {
        asked.reads += 1;
        check('read');
        const { answer } = slow;
        const events = await ports.accessEvents.read(query);
        await answer;
        return events;
      },
      async lastPosition() {
        asked.last += 1;
        check('last');
        return ports.accessEvents.lastPosition();
      },
    };
    const readValidity = (keys: Ports['apiKeys'] | Ports['companyKeys']) => async (id: string) => {
      check('keys');
      return keys.readValidity(id);
    };
    return {
      accessEvents,
      eventFeed: new EventFeed(accessEvents, limits),
      accessFacts: {
        ...ports.accessFacts,
        async read(question) {
          asked.facts += 1;
          check('facts');
          return ports.accessFacts.read(question);
        },
      },
      apiKeys: { ...ports.apiKeys, readValidity: readValidity(ports.apiKeys) },
      companyKeys: { ...ports.companyKeys, readValidity: readValidity(ports.companyKeys) },
    };
  });
  const { eventFeed } = world.ports;
  const companyUseCases = createCompanyUseCases(world.ports);

  async function companyCaller(companyId: string) {
    const { secret, key } = await world.operator.createCompanyKey({ companyId });
    const admission = await companyUseCases.admitCompany(secret, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    return { caller: admission.caller, keyId: key.id };
  }

  /** A request that is made and withdrawn again and again: two events each time. */
  async function happen({ caller, companyId }: Newcomer, times = 1): Promise<string[]> {
    for (let time = 0; time < times; time += 1) {
      const { accessRequest } = await world.callers.requestAccess(caller, {
        companyId,
        scopes: ['metrics:read'],
      });
      await world.callers.withdrawAccessRequest(caller, { id: accessRequest.id });
    }
    const { events } = await world.callers.readInvestorEvents(caller, { limit: 1000 });
    return events.map(({ id }) => id);
  }

  const watch = async (...asked: Parameters<typeof world.callers.watchInvestorEvents>) =>
    (await world.callers.watchInvestorEvents(...asked)).events;
  const watchCompany = async (...asked: Parameters<typeof companyUseCases.watchCompanyEvents>) =>
    (await companyUseCases.watchCompanyEvents(...asked)).events;

  return {
    ...world,
    watch,
    watchCompany,
    eventFeed,
    broken,
    slow,
    asked,
    companyUseCases,
    companyCaller,
    happen,
  };
}

type Stage = ReturnType<typeof createStage>;

const takeFrom =
  (events: Events['events']): Take =>
  async (count) => {
    const taken: FeedEvent[] = [];
    while (taken.length < count) {
      const { done, value } = await events.next();
      if (done) break;
      taken.push(value);
    }
    return taken;
  };

const idsOf = (events: readonly FeedEvent[]) => events.map(({ id }) => id);

/** Lets everything go on that waits for nothing outside. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Whether the next event is still waited for. */
async function isWaiting(next: Promise<unknown>): Promise<boolean> {
  const waits = Symbol('waits');
  await settle();
  return (await Promise.race([next, settle().then(() => waits)])) === waits;
}

describe('a stream of events', () => {
  test('begins with what happens after it is opened', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const before = await stage.happen(newcomer);
    const events = await stage.watch(newcomer.caller);
    const all = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(all.slice(before.length));
  });

  test('begins after the event that its reader has, and goes on with what is new', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const [first = '', ...later] = await stage.happen(newcomer, 2);
    const events = await stage.watch(newcomer.caller, { after: first });
    expect(idsOf(await takeFrom(events)(3))).toEqual(later);
    const all = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(all.slice(4));
  });

  test('misses and doubles nothing, wherever it is cut and however the feed moves meanwhile', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const [first = ''] = await stage.happen(newcomer);
    const seen = [first];
    // Another one keeps the feed where it is, while this one comes and goes.
    const other = await stage.watch(newcomer.caller, { after: first });
    let all: string[] = [];
    for (let cut = 0; cut < 60; cut += 1) {
      const events = await stage.watch(newcomer.caller, {
        after: seen.at(-1) ?? null,
      });
      if (cut % 3 === 0) await stage.eventFeed.poll();
      all = await stage.happen(newcomer, cut % 4);
      if (cut % 2 === 0) await stage.eventFeed.poll();
      const taking = takeFrom(events)(all.length - seen.length - (cut % 5 === 0 ? 1 : 0));
      all = await stage.happen(newcomer, cut % 2);
      await stage.eventFeed.poll();
      seen.push(...idsOf(await taking));
      await events.return?.();
    }
    const rest = await stage.watch(newcomer.caller, {
      after: seen.at(-1) ?? null,
    });
    seen.push(...idsOf(await takeFrom(rest)(all.length - seen.length)));
    expect(seen).toEqual(all);
    expect([first, ...idsOf(await takeFrom(other)(all.length - 1))]).toEqual(all);
  });

  test('catches up by pages when it is far behind', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const all = await stage.happen(newcomer, 130);
    const events = await stage.watch(newcomer.caller, { after: all[0] });
    const taken = await takeFrom(events)(150);
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    taken.push(...(await takeFrom(events)(111)));
    expect(idsOf(taken)).toEqual((await stage.happen(newcomer)).slice(1, 262));
  });

  test('goes on when a page ends with the last event', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const all = await stage.happen(newcomer, 51);
    const events = await stage.watch(newcomer.caller, { after: all[1] });
    expect(idsOf(await takeFrom(events)(100))).toEqual(all.slice(2));
    const next = events.next();
    expect(await isWaiting(next)).toBe(true);
    const more = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    expect((await next).value?.id).toBe(more[102]);
  });

  test('loses nothing of what happens while it catches up', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const [first] = await stage.happen(newcomer, 2);
    const events = await stage.watch(newcomer.caller, { after: first });
    const answer = Promise.withResolvers<void>();
    stage.slow.answer = answer.promise;
    const next = events.next();
    stage.slow.answer = null;
    const all = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    answer.resolve();
    const taken = [(await next).value as FeedEvent, ...(await takeFrom(events)(4))];
    expect(idsOf(taken)).toEqual(all.slice(1));
  });

  test('keeps at most a thousand events of a reader that takes none, and loses none of the others', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const events = await stage.watch(newcomer.caller);
    const all: string[] = [];
    for (let times = 0; times < 3; times += 1) {
      await stage.happen(newcomer, 200);
      await stage.eventFeed.poll();
    }
    for (const event of await stage.ports.accessEvents.read({
      reader: null,
      after: null,
      since: null,
      limit: 5000,
    }))
      all.push(event.id);
    const before = stage.asked.reads;
    expect(idsOf(await takeFrom(events)(1200))).toEqual(all);
    expect(stage.asked.reads).toBeGreaterThan(before);
  });

  test('loses nothing when too much comes while an event is looked at', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const events = await stage.watch(newcomer.caller);
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    const first = events.next();
    await stage.happen(newcomer, 600);
    // Both polls reach the stream before its question is answered.
    const { accessFacts } = stage.ports;
    const answer = Promise.withResolvers<void>();
    const read = accessFacts.read;
    Object.assign(accessFacts, {
      read: async (question: Parameters<typeof read>[0]) => {
        await answer.promise;
        return read(question);
      },
    });
    const second = first.then(() => events.next());
    await settle();
    await stage.eventFeed.poll();
    answer.resolve();
    const taken = [await first, await second].map(({ value }) => (value as FeedEvent).id);
    taken.push(...idsOf(await takeFrom(events)(1200)));
    const all = await stage.ports.accessEvents.read({
      reader: null,
      after: null,
      since: null,
      limit: 5000,
    });
    expect(taken).toEqual(idsOf(all));
  });

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
});

test('a reader that has got no event goes on after the one that its stream begins after', async () => {
  const stage = createStage();
  const newcomer = await stage.newcomer();
  const { watchInvestorEvents } = stage.callers;
  const first = await watchInvestorEvents(newcomer.caller);
  await first.events.return?.();
  const [created = '', withdrawn] = await stage.happen(newcomer);
  const second = await watchInvestorEvents(newcomer.caller, { after: first.after });
  expect(idsOf(await takeFrom(second.events)(2))).toEqual([created, withdrawn]);
  const third = await watchInvestorEvents(newcomer.caller);
  expect([third.after, second.after]).toEqual([withdrawn, first.after]);
});

test('an event that happens while a stream is opened is not missed by the feed', async () => {
  const stage = createStage();
  const newcomer = await stage.newcomer();
  const opening = stage.watch(newcomer.caller);
  await stage.eventFeed.poll();
  const events = await opening;
  const all = await stage.happen(newcomer);
  await stage.eventFeed.poll();
  const seen: string[] = [];
  for await (const { id } of events) {
    seen.push(id);
    if (seen.length === all.length) break;
  }
  expect(seen).toEqual(all);
  expect(stage.eventFeed.size).toBe(0);
});

describe('nobody is told what may not be seen now', () => {
  test('the events of a company that has left the portfolio are withheld, others are not', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const events = await stage.watch(newcomer.caller);
    const stays = await stage.companyOf(newcomer.investor);
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    await stage.operator.removeFromPortfolio({
      investorId: newcomer.investor.id,
      companyId: newcomer.companyId,
    });
    const seen = await stage.happen({ ...newcomer, companyId: stays.id });
    await stage.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(seen);
  });

  test('a key that is revoked gets nothing more: the stream ends with the reason', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const events = await stage.watch(newcomer.caller);
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    await stage.operator.revokeApiKey(newcomer.keyId);
    await expectRefusal(events.next(), 'invalid_api_key');
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(stage.eventFeed.size).toBe(0);
  });

  test('a key that expires ends its stream although nothing happens', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer({ expiresAt: later(day) });
    const events = await stage.watch(newcomer.caller);
    const next = events.next();
    stage.clock.set(later(day - 1));
    await stage.eventFeed.checkKeys();
    expect(await isWaiting(next)).toBe(true);
    stage.clock.set(later(day));
    await stage.eventFeed.checkKeys();
    await expectRefusal(next, 'invalid_api_key');
  });

  test('a key that is not there any more ends its stream', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const gone = { ...newcomer.caller, keyId: 'key_gone' };
    const next = (await stage.watch(gone)).next();
    await stage.eventFeed.checkKeys();
    await expectRefusal(next, 'invalid_api_key');
    const other = await stage.watch(gone);
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    await expectRefusal(other.next(), 'invalid_api_key');
  });

  test('a company sees what its own key may, until that is revoked', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const { caller, keyId } = await stage.companyCaller(newcomer.companyId);
    const stranger = await stage.newcomer();
    const events = await stage.watchCompany(caller);
    await stage.happen(stranger);
    const all = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(all);
    await stage.happen(newcomer);
    await stage.operator.revokeCompanyKey(keyId);
    await stage.eventFeed.poll();
    await expectRefusal(events.next(), 'invalid_api_key');
    const second = await stage.companyCaller(newcomer.companyId);
    const quiet = await stage.watchCompany(second.caller);
    await stage.operator.revokeCompanyKey(second.keyId);
    await stage.eventFeed.checkKeys();
    await expectRefusal(quiet.next(), 'invalid_api_key');
  });

  test.each([
    ['signs out', async ({ contacts }, caller) => contacts.signOut(caller)],
    ['is removed', async ({ operator }, caller) => operator.removeContact(caller.contactId)],
    ['has been idle', async ({ clock }) => clock.advance(3_600_000)],
    [
      'acts for another company',
      async ({ operator, contacts, company }, caller) => {
        const { id: companyId } = await company();
        await operator.addContact({ companyId, email: caller.email });
        await contacts.chooseCompany(caller, { companyId });
      },
    ],
  ] satisfies [string, (stage: Stage, caller: ContactCaller) => unknown][])(
    'a contact sees what its company may, until it %s',
    async (_what, happens) => {
      const stage = createStage();
      const newcomer = await stage.newcomer();
      const caller = await stage.admitContact(newcomer.companyId);
      const [busy, quiet] = [await stage.watchCompany(caller), await stage.watchCompany(caller)];
      const all = await stage.happen(newcomer);
      await stage.eventFeed.poll();
      for (const events of [busy, quiet]) expect(idsOf(await takeFrom(events)(2))).toEqual(all);
      await happens(stage, caller);
      await stage.eventFeed.checkKeys();
      await expectRefusal(quiet.next(), 'invalid_api_key');
      await stage.happen(newcomer);
      await stage.eventFeed.poll();
      await expectRefusal(busy.next(), 'invalid_api_key');
    },
  );

  test('an event is not handed to a contact that was removed before it', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const caller = await stage.admitContact(newcomer.companyId);
    const events = await stage.watchCompany(caller);
    await stage.happen(newcomer);
    await stage.operator.removeContact(caller.contactId);
    await stage.eventFeed.poll();
    await expectRefusal(events.next(), 'invalid_api_key');
  });

  test('an event that is unknown, too old or another’s is refused before anything is sent', async () => {
    const stage = createStage();
    const [newcomer, stranger] = [await stage.newcomer(), await stage.newcomer()];
    const [old] = await stage.happen(newcomer);
    const [foreign] = await stage.happen(stranger);
    const { watch } = stage;
    for (const after of ['evt_none', 'nonsense', foreign])
      await expectRefusal(watch(newcomer.caller, { after }), 'event_expired');
    stage.clock.set(later(91 * day));
    await expectRefusal(watch(newcomer.caller, { after: old }), 'event_expired');
    await expectRefusal(() => watch(newcomer.caller, { limit: 1 } as object), 'invalid_parameter');
    expect(stage.eventFeed.size).toBe(0);
  });
});

describe('while the database is away', () => {
  test.each(['facts', 'read', 'last'] as const)(
    'a stream stays open and gets everything afterwards (%s)',
    async (part) => {
      const stage = createStage();
      const newcomer = await stage.newcomer();
      const [first = '', second] = await stage.happen(newcomer);
      const events = await stage.watch(newcomer.caller, { after: first });
      stage.broken.add(part);
      const next = events.next();
      await settle();
      await stage.eventFeed.poll().catch(() => undefined);
      if (part !== 'last') expect(await isWaiting(next)).toBe(true);
      stage.broken.clear();
      const all = await stage.happen(newcomer);
      await stage.eventFeed.poll();
      expect((await next).value?.id).toBe(second);
      expect(idsOf(await takeFrom(events)(2))).toEqual(all.slice(2));
    },
  );

  test('none can be opened, and none is counted', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    stage.broken.add('last');
    await expectRefusal(stage.watch(newcomer.caller), 'service_unavailable');
    expect(stage.eventFeed.size).toBe(0);
  });

  test('the check of the keys tells it and ends nothing', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    await stage.watch(newcomer.caller);
    stage.broken.add('keys');
    await expectRefusal(stage.eventFeed.checkKeys(), 'service_unavailable');
    expect(stage.eventFeed.size).toBe(1);
  });
});

describe('a stream that is left', () => {
  test('ends at once, also while it waits, and leaves nothing behind', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const leaving = new AbortController();
    const aborted = await stage.watch(newcomer.caller, {}, leaving.signal);
    const returned = await stage.watch(newcomer.caller);
    const waiting = [aborted.next(), returned.next()];
    await settle();
    leaving.abort();
    await returned.return?.();
    await returned.return?.();
    const done = { done: true, value: undefined };
    expect(await Promise.all(waiting)).toEqual([done, done]);
    expect(stage.eventFeed.size).toBe(0);
    const { last } = { ...stage.asked };
    await stage.eventFeed.poll();
    expect(stage.asked.last).toBe(last);
  });

  test('ends while an event is looked at, which it then does not get', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const [first] = await stage.happen(newcomer);
    const events = await stage.watch(newcomer.caller, { after: first });
    const next = events.next();
    const done = next.then(({ done }) => done);
    while (stage.asked.facts === 0) await Promise.resolve();
    await events.return?.();
    expect(await done).toBe(true);
  });

  test('ends while the database is asked in vain', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const [first] = await stage.happen(newcomer);
    const events = await stage.watch(newcomer.caller, { after: first });
    const answer = Promise.withResolvers<void>();
    stage.slow.answer = answer.promise;
    const next = events.next();
    await events.return?.();
    answer.reject(new AccessError('service_unavailable'));
    expect((await next).done).toBe(true);
  });

  test('is not opened for a reader that has gone already', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const { caller } = newcomer;
    const events = await stage.watch(caller, {}, AbortSignal.abort());
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(stage.eventFeed.size).toBe(0);
  });

  test('while the feed reads: the next one begins by itself', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const first = await stage.watch(newcomer.caller);
    await stage.happen(newcomer);
    const polling = stage.eventFeed.poll();
    await first.return?.();
    await polling;
    const second = await stage.watch(newcomer.caller);
    const all = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    expect(idsOf(await takeFrom(second)(2))).toEqual(all.slice(2));
  });

  test('by a mistake of ours ends with that', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const events = await stage.watch(newcomer.caller);
    Object.assign(stage.ports.accessFacts, {
      read: () => Promise.reject(new TypeError('a mistake')),
    });
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    await expect(events.next()).rejects.toThrow(TypeError);
    expect(stage.eventFeed.size).toBe(0);
  });
});

test('so many streams of a key and of a process are open at a time, and one more when one has ended', async () => {
  const stage = createStage();
  const [one, other, third] = [
    await stage.newcomer(),
    await stage.newcomer(),
    await stage.newcomer(),
  ];
  const { watch } = stage;
  const streams = [];
  for (let count = 0; count < 5; count += 1) streams.push(await watch(one.caller));
  const refusal = await expectRefusal(watch(one.caller), 'service_unavailable');
  expect(refusal.retryAfterSeconds).toBeGreaterThan(0);
  for (let count = 0; count < 3; count += 1) streams.push(await watch(other.caller));
  await expectRefusal(watch(third.caller), 'service_unavailable');
  await expectRefusal(watch(other.caller), 'service_unavailable');
  await streams[0]?.return?.();
  await watch(third.caller);
  expect(stage.eventFeed.size).toBe(8);
});
