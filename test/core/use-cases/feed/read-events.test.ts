import { describe, expect, test } from 'vitest';
import { type FeedEvent, isRequestEvent } from '#core';
import { eventPagesOf } from '../../pages.ts';
import { createWorld, day, expectRefusal, later, start, type World } from '../../world.ts';
import { idsOf } from './event-stream-steps.ts';

async function threeEvents(world = createWorld()) {
  const newcomer = await world.newcomer();
  const { id } = await world.grant(newcomer);
  await world.operator.revokeAccessRequest({ id, reason: 'Sold.' });
  const self = await world.admitCompany(newcomer.companyId);
  const { events } = await world.operator.listAccessEvents({ companyId: newcomer.companyId });
  return { ...newcomer, world, self, ids: idsOf(events) };
}

const lastOf = (ids: readonly string[]) => ids.at(-1) ?? '';

describe('the events that a company or an investor reads', () => {
  test('are only about its own access requests, oldest first, with the names of both parties', async () => {
    const { world, self, caller, ids, investor, company } = await threeEvents();
    await threeEvents(world);
    const own = await world.companies.readCompanyEvents(self);
    expect(own.events.map(({ id }) => id)).toEqual(ids);
    expect(own.hasMore).toBe(false);
    expect(own.events.map((event) => isRequestEvent(event) && event.reason)).toEqual([
      null,
      null,
      'Sold.',
    ]);
    for (const event of own.events) {
      expect(event).toMatchObject({ investorName: investor.name, companyName: company.name });
    }
    expect(await world.callers.readInvestorEvents(caller)).toEqual(own);
  });

  test('continue after a given event, page by page', async () => {
    const { world, self, caller, ids } = await threeEvents();
    const pages = await eventPagesOf((after) =>
      world.companies.readCompanyEvents(self, { after, limit: 1 }),
    );
    expect(pages.map(idsOf)).toEqual(ids.map((id) => [id]));
    const rest = await world.callers.readInvestorEvents(caller, { after: ids[0] ?? '' });
    expect(rest.events.map(({ id }) => id)).toEqual(ids.slice(1));
    expect(await world.callers.readInvestorEvents(caller, { after: lastOf(ids) })).toEqual({
      events: [],
      hasMore: false,
    });
  });

  test('aren’t returned to the investor if the company has left the portfolio', async () => {
    const { world, self, caller, ids, investor, companyId } = await threeEvents();
    await world.leave({ investor, companyId });
    const { callers, companies } = world;
    expect((await callers.readInvestorEvents(caller)).events).toEqual([]);
    expect((await callers.readInvestorEvents(caller, { after: ids[0] ?? '' })).events).toEqual([]);
    expect((await companies.readCompanyEvents(self)).events).toHaveLength(3);
  });

  test('stay in the feed for 90 days, and older events are no valid positions', async () => {
    const { world, self, caller, ids } = await threeEvents();
    const { callers, companies } = world;
    world.clock.set(later(90 * day));
    expect((await callers.readInvestorEvents(caller)).events).toHaveLength(3);
    await callers.readInvestorEvents(caller, { after: lastOf(ids) });
    world.clock.set(later(90 * day + 1));
    expect((await callers.readInvestorEvents(caller)).events).toEqual([]);
    for (const attempt of [
      callers.readInvestorEvents(caller, { after: lastOf(ids) }),
      companies.readCompanyEvents(self, { after: lastOf(ids) }),
    ]) {
      await expectRefusal(attempt, 'event_expired');
    }
  });

  test('include every event after the given event, even one from a server with a slow clock', async () => {
    const { world, caller, ids, key, companyId } = await threeEvents();
    world.clock.set(later(-1));
    await world.request(key, companyId);
    world.clock.set(later(90 * day));
    const rest = await world.callers.readInvestorEvents(caller, { after: lastOf(ids) });
    expect(rest.events).toHaveLength(1);
  });

  test('can’t be read after an unknown event or after an event that the caller can’t see', async () => {
    const { world, self, caller } = await threeEvents();
    const other = await threeEvents(world);
    for (const after of [lastOf(other.ids), 'evt_none', 'nonsense', 'evt_\u0000', '']) {
      await expectRefusal(world.callers.readInvestorEvents(caller, { after }), 'event_expired');
      await expectRefusal(world.companies.readCompanyEvents(self, { after }), 'event_expired');
    }
  });

  test.each([{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { after: 5 }, { before: 'evt_1' }])(
    'are refused for the invalid input %j',
    async (input) => {
      const { world, self, caller } = await threeEvents();
      const { callers, companies } = world;
      await expectRefusal(callers.readInvestorEvents(caller, input as never), 'invalid_parameter');
      await expectRefusal(companies.readCompanyEvents(self, input as never), 'invalid_parameter');
    },
  );
});

describe('a long page of events', () => {
  async function askedFor(metrics: number, limit: number, more = 0) {
    const asked: number[] = [];
    let left = 500;
    const event = (count: number): FeedEvent => ({
      ...{ id: 'evt_1', type: 'company_data.updated', createdAt: start, position: '1' },
      ...{ companyId: 'co_1', companyName: 'Harbor' },
      data: {
        metricKeys: Array.from({ length: count }, (_, index) => `m${index}`),
        latestPeriods: {},
        ...{ hasSources: false, hasAccounts: false, dataVersion: '2' },
      },
    });
    const { operator } = createWorld(({ accessEvents }) => ({
      accessEvents: {
        ...accessEvents,
        async read(question) {
          asked.push(question.limit);
          const found = Math.min(left, question.limit);
          left -= found;
          const first = asked.length === 1 ? metrics + more : metrics;
          return [event(first), ...Array(found - 1).fill(event(metrics))];
        },
      },
    }));
    const { events, hasMore } = await operator.listAccessEvents({ limit });
    return { asked, events: events.length, hasMore };
  }

  test('is read in a small part first, and then in large parts if the events contain few metrics', async () => {
    expect(await askedFor(1, 1_000)).toEqual({
      ...{ asked: [21, 201, 201, 201], events: 500, hasMore: false },
    });
    expect(await askedFor(1, 10)).toEqual({ asked: [11], events: 10, hasMore: true });
    expect(await askedFor(1, 30)).toEqual({ asked: [21, 31], events: 30, hasMore: true });
  });

  test('is read only in small parts if the events contain many metrics, and ends at the limit of metrics', async () => {
    // The first 21 events contain just under a tenth of the allowed metrics, and then exactly a tenth.
    expect((await askedFor(95, 1_000, 4)).asked.slice(0, 2)).toEqual([21, 201]);
    expect((await askedFor(95, 1_000, 5)).asked.slice(0, 2)).toEqual([21, 21]);
    expect(await askedFor(96, 1_000)).toMatchObject({
      asked: [21, 21, 21, 21, 21, 21, 21, 21, 21, 21],
    });
    const most = { asked: [21], events: 20, hasMore: true };
    expect(await askedFor(1_000, 1_000)).toEqual(most);
    const one = { asked: [21], events: 1, hasMore: true };
    expect(await askedFor(20_000, 1_000)).toEqual(one);
    expect(await askedFor(20_001, 1_000)).toEqual(one);
  });
});

describe('an operator', () => {
  test('reads the events of all investors and companies, or of one investor or company', async () => {
    const { world, ids, investor, companyId } = await threeEvents();
    const other = await threeEvents(world);
    const list = async (filter: Parameters<World['operator']['listAccessEvents']>[0]) =>
      (await world.operator.listAccessEvents(filter)).events.map(({ id }) => id);
    expect(await list({})).toEqual([...ids, ...other.ids]);
    expect(await list({ investorId: investor.id })).toEqual(ids);
    expect(await list({ companyId })).toEqual(ids);
    expect(await list({ after: lastOf(ids) })).toEqual(other.ids);
    expect(await world.ports.accessEvents.lastPosition()).toBe('6');
  });

  test('gets an error for an unknown investor or company', async () => {
    const { operator } = createWorld();
    await expectRefusal(
      operator.listAccessEvents({ investorId: 'inv_none' }),
      'investor_not_found',
      'the investor inv_none doesn’t exist',
    );
    await expectRefusal(
      operator.listAccessEvents({ companyId: 'co_none' }),
      'company_not_found',
      'the company co_none doesn’t exist',
    );
  });
});
