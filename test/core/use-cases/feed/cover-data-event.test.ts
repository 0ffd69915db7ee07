import { describe, expect, test, vi } from 'vitest';
import {
  type DataFeedEvent,
  type FeedEvent,
  type GrantableScope,
  isRequestEvent,
  parseExactJson,
} from '#core';
import { createWorld, day, expectRefusal, later } from '../../world.ts';
import {
  arrivedAt,
  createFeedWorld,
  type FeedWorld,
  idsOf,
  isWaiting,
  takeFrom,
} from './event-stream-steps.ts';

const last_synced = '2026-11-01T04:00:00Z';
const metric = (raw_value: number, key = 'arr') => ({
  type: 'metric',
  key,
  period: '2026-10-31',
  source: { system: 'QuickBooks', method: 'api', last_synced },
  raw_value,
});
const source = (status: string) => ({
  type: 'source',
  provider: 'mercury',
  account_name: 'Operating account',
  status,
  last_synced_at: last_synced,
});
const account = (raw_balance: number) => ({
  type: 'account',
  id: 'acc_1',
  provider: 'mercury',
  name: 'Operating account',
  account_type: 'bank',
  currency: 'USD',
  raw_balance,
  last_synced_at: last_synced,
});

const asPushed = (...records: object[]) => parseExactJson(JSON.stringify(records)) as unknown[];

async function aPusher(scopes: GrantableScope[] = [], world: FeedWorld = createFeedWorld()) {
  const newcomer = await world.newcomer();
  const self = await world.admitCompany(newcomer.companyId, {
    scopes: ['data:write', 'consents:manage'],
  });
  const granted = scopes.length === 0 ? null : await world.grant(newcomer, scopes);
  const push = (...records: object[]) =>
    world.companies.pushRecords(self, { records: asPushed(...records) });
  const read = async (caller = newcomer.caller, input = {}) =>
    ofData((await world.callers.readInvestorEvents(caller, input)).events);
  const revoke = () => world.operator.revokeAccessRequest({ id: granted?.id ?? '' });
  const membership = { investorId: newcomer.investor.id, companyId: newcomer.companyId };
  return { world, newcomer, self, push, read, revoke, granted, membership };
}

const ofData = (events: readonly FeedEvent[]): DataFeedEvent[] =>
  events.filter((event) => !isRequestEvent(event));
const dataIdsOf = (events: readonly FeedEvent[]) => ofData(events).map(({ id }) => id);
const dataOf = (events: readonly FeedEvent[]) => ofData(events).map(({ data }) => data);

const all: GrantableScope[] = ['metrics:read', 'accounts:read', 'sources:read'];

describe('an event about changed data', () => {
  test('appears once in a page that the database returns in several parts', async () => {
    const { push, world, self } = await aPusher();
    for (let value = 0; value < 25; value += 1) await push(metric(value));
    const { events, hasMore } = await world.companies.readCompanyEvents(self, { limit: 1_000 });
    expect([new Set(idsOf(events)).size, events.length, hasMore]).toEqual([25, 25, false]);
  });

  test('is sent to the company, in full, for each push that changes something', async () => {
    const { world, push, self } = await aPusher();
    const { dataVersion } = await push(metric(1), metric(2, 'cash'), source('connected'));
    await push(metric(1));
    const { events } = await world.companies.readCompanyEvents(self);
    expect(events).toMatchObject([
      {
        type: 'company_data.updated',
        companyId: self.companyId,
        data: { metricKeys: ['arr', 'cash'], hasSources: true, hasAccounts: false, dataVersion },
      },
    ]);
    const after = events[0]?.id ?? '';
    const rest = await world.companies.readCompanyEvents(self, { after });
    expect(rest.events).toEqual([]);
  });

  test('contains no values of metrics and no balances of accounts', async () => {
    const { push, self, world } = await aPusher();
    await push(metric(987_654_321), account(123_456_789));
    const { events } = await world.companies.readCompanyEvents(self);
    expect(JSON.stringify(dataOf(events))).not.toMatch(/987654321|123456789/);
  });

  test('isn’t written for a dry run or a refused push', async () => {
    const { world, self } = await aPusher();
    await world.companies.pushRecords(self, { records: asPushed(metric(1)), dryRun: true });
    const bad = asPushed(metric(1), { type: 'metric' });
    await expectRefusal(world.companies.pushRecords(self, { records: bad }), 'invalid_records');
    expect((await world.companies.readCompanyEvents(self)).events).toEqual([]);
  });

  test('is written only once if the push is repeated with the same idempotency key', async () => {
    const { world, self } = await aPusher();
    const input = { records: asPushed(metric(1)), idempotencyKey: 'once' };
    await world.companies.pushRecords(self, input);
    await world.companies.pushRecords(self, input);
    expect((await world.companies.readCompanyEvents(self)).events).toHaveLength(1);
  });
});

describe('the events about changed data that an investor gets', () => {
  test('name only the metrics within the terms of the grant, and none during a pause', async () => {
    const { world, newcomer, push, read, granted } = await aPusher(all);
    const { operator } = world;
    const id = granted?.id ?? '';
    await operator.narrowAccessRequest({ id, terms: { metricKeys: ['arr'] } });
    const events = await world.watch(newcomer.caller);
    await push(metric(1), metric(2, 'cash'));
    await push(metric(3, 'cash'));
    await world.eventFeed.poll();
    expect(dataOf(await takeFrom(events)(1))).toMatchObject([{ metricKeys: ['arr'] }]);
    expect(dataOf(await read())).toMatchObject([{ metricKeys: ['arr'] }]);
    await operator.narrowAccessRequest({ id, terms: { historyFrom: '9999-01-31' } });
    expect(dataOf(await read())).toEqual([]);
    await operator.pauseAccessRequest({ id });
    expect(await read()).toEqual([]);
  });

  test.each([
    [['metrics:read'], { metricKeys: ['arr'], hasSources: false, hasAccounts: false }],
    [['sources:read'], { metricKeys: [], hasSources: true, hasAccounts: false }],
    [['accounts:read'], { metricKeys: [], hasSources: false, hasAccounts: true }],
    [all, { metricKeys: ['arr'], hasSources: true, hasAccounts: true }],
  ] as [GrantableScope[], object][])(
    'contain only the kinds of data in the grant: a grant of %s gives %o',
    async (scopes, expected) => {
      const { world, newcomer, push, read } = await aPusher(scopes);
      const events = await world.watch(newcomer.caller);
      await push(metric(1), account(2), source('connected'));
      expect(dataOf(await read())).toMatchObject([expected]);
      await world.eventFeed.poll();
      expect(dataOf(await takeFrom(events)(1))).toMatchObject([expected]);
    },
  );

  test('contain only data inside the grant, and aren’t sent without a grant', async () => {
    const { world, newcomer, push, read } = await aPusher(['metrics:read']);
    const other = await aPusher([], world);
    const events = await world.watch(newcomer.caller);
    await push(account(2), source('failed'));
    await other.push(metric(1));
    await world.eventFeed.poll();
    expect(await arrivedAt(events)).toEqual([]);
    expect(await read()).toEqual([]);
    expect(await other.read()).toEqual([]);
  });

  test('contain no data outside the scopes of the API key', async () => {
    const { world, newcomer, push, read } = await aPusher(all);
    const { secret } = await world.operator.createApiKey({
      investorId: newcomer.caller.investorId,
      scopes: ['companies:read', 'sources:read'],
    });
    const caller = await world.admit(secret);
    const events = await world.watch(caller);
    await push(metric(1), source('connected'));
    await push(metric(2));
    const told = [{ metricKeys: [], hasSources: true, hasAccounts: false }];
    expect(dataOf(await read(caller))).toMatchObject(told);
    await world.eventFeed.poll();
    expect(dataOf(await takeFrom(events)(1))).toMatchObject(told);
    expect(await isWaiting(events.next())).toBe(true);
  });

  test('contain no data outside the scopes of one caller, even if another caller with the same key has more scopes', async () => {
    const { world, newcomer, push } = await aPusher(all);
    const { caller } = newcomer;
    const narrow = await world.watch({ ...caller, scopes: ['sources:read'] });
    const wide = await world.watch(caller);
    await push(metric(1), source('connected'));
    await world.eventFeed.poll();
    const [ofNarrow, ofWide] = await Promise.all([takeFrom(narrow)(1), takeFrom(wide)(1)]);
    expect(dataOf(ofNarrow)).toMatchObject([{ metricKeys: [], hasSources: true }]);
    expect(dataOf(ofWide)).toMatchObject([{ metricKeys: ['arr'], hasSources: true }]);
  });

  test('aren’t sent after the grant was revoked, even if the push was earlier', async () => {
    const { world, newcomer, push, read, revoke } = await aPusher(all);
    const events = await world.watch(newcomer.caller);
    await push(metric(1));
    await world.eventFeed.poll();
    const [event] = await read();
    await revoke();
    await push(metric(2));
    expect(await read()).toEqual([]);
    await world.eventFeed.poll();
    const told = await takeFrom(events)(1);
    expect(told.map(({ type }) => type)).toEqual(['access_request.revoked']);
    expect(await isWaiting(events.next())).toBe(true);
    // An investor that already received the event can still continue after it.
    const rest = await world.callers.readInvestorEvents(newcomer.caller, { after: event?.id });
    expect(rest.events.map(({ type }) => type)).toEqual(['access_request.revoked']);
  });

  test('aren’t sent after the grant has ended or the company has left the portfolio', async () => {
    const { world, newcomer, push, read, membership } = await aPusher(all);
    await push(metric(1));
    const events = await world.watch(newcomer.caller, { after: 'evt_start' });
    expect(await read()).toHaveLength(1);
    await world.operator.removeFromPortfolio(membership);
    expect(await read()).toEqual([]);
    expect(await arrivedAt(events)).toEqual([]);
    await world.operator.addToPortfolio(membership);
    expect(await read()).toHaveLength(1);
    world.clock.advance(366 * day);
    await push(metric(2));
    expect(await read()).toEqual([]);
  });

  test('aren’t sent to another investor, and aren’t valid positions in its feed', async () => {
    const { world, push, read } = await aPusher(all);
    const stranger = await world.newcomer();
    await push(metric(1));
    const [event] = await read();
    expect(await read(stranger.caller)).toEqual([]);
    await expectRefusal(
      world.callers.readInvestorEvents(stranger.caller, { after: event?.id }),
      'event_expired',
    );
  });

  test('fill the whole page even if a grant ends while the page is read', async () => {
    const world = createFeedWorld();
    const first = await aPusher(all, world);
    const second = await world.company();
    const { caller } = first.newcomer;
    const { investorId } = caller;
    await world.operator.addToPortfolio({ investorId, companyId: second.id });
    const grant = await world.grant({ ...first.newcomer, company: second }, all);
    const other = await world.admitCompany(second.id, { scopes: ['data:write'] });
    await world.companies.pushRecords(other, { records: asPushed(metric(1)) });
    await first.push(metric(1));
    const answer = Promise.withResolvers<void>();
    world.slow.answer = answer.promise;
    const reading = world.callers.readInvestorEvents(caller, {
      limit: 1,
      types: ['company_data.updated'],
    });
    await world.operator.revokeAccessRequest({ id: grant.id });
    answer.resolve();
    const { events, hasMore } = await reading;
    expect(ofData(events).map(({ companyId }) => companyId)).toEqual([first.newcomer.companyId]);
    expect(hasMore).toBe(false);
  });

  test('aren’t sent if the company leaves the portfolio while the page is read', async () => {
    const { world, newcomer, push, membership } = await aPusher(all);
    await push(metric(1));
    const answer = Promise.withResolvers<void>();
    world.slow.answer = answer.promise;
    const reading = world.callers.readInvestorEvents(newcomer.caller, {
      types: ['company_data.updated'],
    });
    await world.operator.removeFromPortfolio(membership);
    answer.resolve();
    expect(await reading).toEqual({ events: [], hasMore: false });
  });

  test('can be watched in one stream, and access request events in a second stream', async () => {
    const { world, newcomer, push, revoke } = await aPusher(all);
    const { callers } = world;
    const { events: requests } = await callers.watchAccessRequests(newcomer.caller);
    const { events: data } = await callers.watchCompanyData(newcomer.caller, {
      after: 'evt_start',
    });
    await push(metric(1));
    expect(dataOf(await takeFrom(data)(1))).toMatchObject([{ metricKeys: ['arr'] }]);
    await revoke();
    await world.eventFeed.poll();
    expect((await takeFrom(requests)(1)).map(({ type }) => type)).toEqual([
      'access_request.revoked',
    ]);
    expect(await isWaiting(data.next())).toBe(true);
  });
});

describe('an operator', () => {
  test('reads all events about changed data, or only those that one company or investor can see now', async () => {
    const { world, newcomer, push, revoke } = await aPusher(['metrics:read']);
    await push(metric(1), account(1));
    const list = async (filter: { companyId?: string; investorId?: string }) =>
      dataOf((await world.operator.listAccessEvents(filter)).events);
    const whole = [{ metricKeys: ['arr'], hasAccounts: true }];
    expect(await list({})).toMatchObject(whole);
    expect(await list({ companyId: newcomer.companyId })).toMatchObject(whole);
    const { investorId } = newcomer.caller;
    expect(await list({ investorId })).toMatchObject([{ metricKeys: ['arr'], hasAccounts: false }]);
    await revoke();
    expect(await list({ investorId })).toEqual([]);
  });
});

describe('an event about changed data that is older than the feed', () => {
  test('is deleted and no longer a valid position in the feed, unlike access request events', async () => {
    const { world, push, self, granted } = await aPusher(all);
    await push(metric(1));
    const everything = () =>
      world.ports.accessEvents.read({ reader: null, after: null, since: null, limit: 1000 });
    const [event] = dataIdsOf(await everything());
    world.clock.set(later(90 * day));
    await world.background.deleteOldDataEvents();
    expect(dataIdsOf(await everything())).toEqual([event]);
    world.clock.set(later(91 * day + 1));
    await world.background.deleteOldDataEvents();
    const kept = await everything();
    expect(dataIdsOf(kept)).toEqual([]);
    expect(kept.filter(isRequestEvent).map(({ type }) => type)).toEqual([
      'access_request.created',
      'access_request.approved',
    ]);
    expect(await world.operator.listReceipts({ id: granted?.id ?? '' })).toMatchObject({
      items: [{}, {}],
    });
    await expectRefusal(
      world.companies.readCompanyEvents(self, { after: event ?? '' }),
      'event_expired',
    );
  });

  test('is deleted in batches of a thousand until the service stops', async () => {
    const { background, ports } = createWorld();
    const forget = vi.spyOn(ports.accessEvents, 'deleteOldData');
    forget.mockResolvedValueOnce(1000).mockResolvedValueOnce(1000).mockResolvedValueOnce(3);
    await background.deleteOldDataEvents();
    expect(forget.mock.calls.map(([, limit]) => limit)).toEqual([1000, 1000, 1000]);
    await background.deleteOldDataEvents({ isStopping: () => true });
    expect(forget).toHaveBeenCalledTimes(3);
  });
});
