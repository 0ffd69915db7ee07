import { describe, expect, test } from 'vitest';
import type { GrantableScope, PortfolioFiguresInput } from '#core';
import { importLines } from '../../../support/fixtures.ts';
import { recordsIn } from '../../../support/records-in.ts';
import { metricLine } from '../../builders.ts';
import { aNewcomer, createWorld, expectRefusal, type Newcomer, type World } from '../../world.ts';

const periods = ['2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'];

async function addShared(
  world: World,
  { investor, key }: Newcomer,
  keys: readonly string[],
  scopes?: readonly GrantableScope[],
): Promise<string> {
  const { id: companyId } = await world.companyOf(investor);
  const lines = keys.flatMap((each) =>
    periods.map((period) => metricLine(companyId, { key: each, label: `The ${each}`, period })),
  );
  await importLines(world.operator, lines);
  const { id } = await world.request(key, companyId);
  await world.operator.approveAccessRequest({ id, ...(scopes && { scopes }) });
  return companyId;
}

async function createPortfolio() {
  const { world, newcomer } = await aNewcomer();
  const one = await addShared(world, newcomer, ['arr', 'cash_balance', 'seats']);
  const other = await addShared(world, newcomer, ['arr', 'headcount', 'cash_balance']);
  const read = (input: Partial<PortfolioFiguresInput> = {}) =>
    world.callers.readPortfolioFigures(newcomer.caller, {
      ...{ companyIds: [one, other], metrics: 3, values: 2, ...input },
    });
  const records = async () => recordsIn(await world.callers.listAccessRecords(newcomer.caller));
  return { world, newcomer, one, other, read, records };
}

test('metrics are sorted by their number of companies, and cash_balance, burn_rate and headcount win a tie', async () => {
  const { read } = await createPortfolio();
  const { metrics, keys } = await read();
  expect(metrics.map(({ key }) => key)).toEqual(['cash_balance', 'arr', 'headcount', 'seats']);
  expect(metrics[1]).toEqual({ key: 'arr', label: 'The arr' });
  expect(keys).toEqual(['cash_balance', 'arr', 'headcount']);
});

test('metrics with equally many companies are sorted by key', async () => {
  const { world, newcomer } = await aNewcomer();
  const company = await addShared(world, newcomer, ['runway', 'seats']);
  const other = await addShared(world, newcomer, ['arr']);
  const asked = { companyIds: [company, other], metrics: 1, values: 1 };
  const { metrics } = await world.callers.readPortfolioFigures(newcomer.caller, asked);
  expect(metrics.map(({ key }) => key)).toEqual(['arr', 'runway', 'seats']);
});

test('figures are each metric’s newest values, oldest first, and its latest value', async () => {
  const { read, one } = await createPortfolio();
  const { companies, keys } = await read({ keys: ['seats', 'none', '½', 'seats'], values: 3 });
  expect(keys).toEqual(['seats', 'none']);
  const figures = companies.get(one);
  expect(figures?.histories).toMatchObject([
    { key: 'seats', values: periods.slice(1).map((period) => ({ period })) },
    { key: 'none', values: [] },
  ]);
  expect(figures?.latest.map(({ key, period }) => [key, period])).toEqual([
    ['arr', '2026-10-31'],
    ['cash_balance', '2026-10-31'],
    ['seats', '2026-10-31'],
  ]);
});

test('the newest values are counted only within the periods between from and to', async () => {
  const { read, one } = await createPortfolio();
  const periodsIn = async (input: Partial<PortfolioFiguresInput>) => {
    const { companies } = await read({ keys: ['seats'], ...input });
    return companies.get(one)?.histories[0]?.values.map(({ period }) => period);
  };
  expect(await periodsIn({ values: 1, to: '2026-08-31' })).toEqual(['2026-08-31']);
  expect(await periodsIn({ values: 9, from: '2026-08-01', to: '2026-09-30' })).toEqual([
    '2026-08-31',
    '2026-09-30',
  ]);
  await expectRefusal(read({ from: '2026-02-30' }), 'invalid_parameter');
});

test('each company gets one access record per read, even if the request names it twice', async () => {
  const { read, records, one, other } = await createPortfolio();
  await read({ companyIds: [one, other, one] });
  expect((await records()).map(({ companyId }) => companyId).toSorted()).toEqual(
    [one, other].toSorted(),
  );
  expect(await records()).toMatchObject(
    [1, 2].map(() => ({ resource: 'metric_history', metricKey: null, outcome: 'allowed' })),
  );
});

test('a company without access is listed with its refusal, and other companies are read as usual', async () => {
  const { world, newcomer, one, other, read } = await createPortfolio();
  const revoked = await addShared(world, newcomer, ['arr']);
  const { newestRequestId } = await world.callers.readPortfolioCompany(newcomer.caller, {
    companyId: revoked,
  });
  await world.operator.revokeAccessRequest({ id: newestRequestId ?? '' });
  const partly = await addShared(world, newcomer, ['arr'], ['sources:read']);
  const stranger = await world.newcomer();
  const { companies, refusals } = await read({
    companyIds: [one, revoked, newcomer.companyId, partly, stranger.companyId, other],
  });
  expect([...companies.keys()]).toEqual([one, other]);
  expect(Object.fromEntries(refusals)).toEqual({
    [revoked]: 'access_revoked',
    [newcomer.companyId]: 'access_required',
    [partly]: 'access_required',
    [stranger.companyId]: 'company_not_found',
  });
});

test('a read of figures without companies returns no figures', async () => {
  const { read, records } = await createPortfolio();
  expect(await read({ companyIds: [] })).toEqual({
    ...{ metrics: [], keys: [], order: [], companies: new Map(), refusals: new Map() },
  });
  expect(await records()).toEqual([]);
});

test('a key without metrics:read can’t read the figures', async () => {
  const { world, newcomer, one } = await createPortfolio();
  const key = await world.key(newcomer.investor, { scopes: ['companies:read'] });
  const caller = await world.admit(key.key);
  const asked = { companyIds: [one], metrics: 4, values: 12 };
  await expectRefusal(world.callers.readPortfolioFigures(caller, asked), 'insufficient_scope');
});

test('a read of several companies is refused as a whole if the key is revoked', async () => {
  const { world, newcomer, read } = await createPortfolio();
  await world.operator.revokeApiKey({ id: newcomer.keyId });
  await expectRefusal(read(), 'invalid_api_key');
});

test('hundreds of companies are read in groups of a hundred, so other callers’ reads don’t wait', async () => {
  const atOnce = { gate: 0, latest: 0, recent: 0 };
  const most = { ...atOnce };
  const counted =
    <Given extends unknown[], Made>(
      kind: keyof typeof atOnce,
      read: (...given: Given) => Promise<Made>,
    ) =>
    async (...given: Given): Promise<Made> => {
      atOnce[kind] += 1;
      most[kind] = Math.max(most[kind], atOnce[kind]);
      const made = await read(...given);
      atOnce[kind] -= 1;
      return made;
    };
  const world = createWorld(({ accessFacts, companyData }) => ({
    accessFacts: { ...accessFacts, read: counted('gate', accessFacts.read) },
    companyData: {
      ...companyData,
      latestMetrics: counted('latest', companyData.latestMetrics),
      recentValues: counted('recent', companyData.recentValues),
    },
  }));
  const newcomer = await world.newcomer();
  const companyIds: string[] = [];
  for (let at = 0; at < 250; at += 1) {
    const { id } = await world.companyOf(newcomer.investor);
    await world.operator.approveAccessRequest({ id: (await world.request(newcomer.key, id)).id });
    companyIds.push(id);
  }
  Object.assign(most, { gate: 0, latest: 0, recent: 0 });
  const { order, companies } = await world.callers.readPortfolioFigures(newcomer.caller, {
    ...{ companyIds, metrics: 1, values: 1 },
    order: { by: 'delivered', descending: false },
  });
  expect(order).toEqual(companyIds);
  expect([...companies.keys()]).toEqual(companyIds);
  expect(most).toEqual({ gate: 100, latest: 100, recent: 100 });
});

test('a read of figures with invalid input or above a limit is refused', async () => {
  const { read, one } = await createPortfolio();
  const many = Array.from({ length: 10_001 }, () => one);
  await expectRefusal(read({ companyIds: many }), 'invalid_parameter');
  await expectRefusal(read({ keys: many.slice(0, 13) }), 'invalid_parameter');
  await expectRefusal(read({ part: { offset: -1, count: 1 } }), 'invalid_parameter');
  await expectRefusal(
    read({ order: { by: 'name' as never, descending: true } }),
    'invalid_parameter',
  );
  await expectRefusal(read({ values: 402 }), 'invalid_parameter');
  await expectRefusal(read({ metrics: 0 }), 'invalid_parameter');
});

describe('companies sorted by a figure', () => {
  /** Companies with one value of `seats` each, or without a value for null. */
  async function createSorted(
    ...values: readonly ({ amount: number; currency?: string; synced?: string } | null)[]
  ) {
    const { world, newcomer } = await aNewcomer();
    const ids: string[] = [];
    for (const value of values) {
      const id = await addShared(world, newcomer, []);
      if (value !== null) {
        const { amount, currency = null, synced = '2026-11-01T00:00:00Z' } = value;
        await importLines(world.operator, [
          metricLine(id, {
            ...{ key: 'seats', raw_value: amount, ...(currency && { currency }) },
            source: { system: 'ledger', method: 'api', last_synced: synced },
          }),
        ]);
      }
      ids.push(id);
    }
    const read = (input: Partial<PortfolioFiguresInput>) =>
      world.callers.readPortfolioFigures(newcomer.caller, {
        ...{ companyIds: ids, metrics: 3, values: 2, ...input },
      });
    const placesOf = async (input: Partial<PortfolioFiguresInput>) =>
      (await read(input)).order.map((id) => ids.indexOf(id));
    return { world, newcomer, ids, read, placesOf };
  }

  const bySeats = (descending = false) => ({ by: { metric: 'seats' }, descending });

  test('are sorted by the value in the given direction, with companies without a value last', async () => {
    const { placesOf } = await createSorted({ amount: 20 }, null, { amount: 100 }, { amount: 3 });
    expect(await placesOf({ order: bySeats() })).toEqual([3, 0, 2, 1]);
    expect(await placesOf({ order: bySeats(true) })).toEqual([2, 0, 3, 1]);
    expect(await placesOf({})).toEqual([0, 1, 2, 3]);
    const malformed = { by: { metric: '½' }, descending: false };
    expect(await placesOf({ order: malformed })).toEqual([0, 1, 2, 3]);
  });

  test('are sorted by currency first, because amounts in different currencies can’t be compared', async () => {
    const { placesOf } = await createSorted(
      { amount: 2, currency: 'USD' },
      { amount: 900, currency: 'EUR' },
      { amount: 5 },
      { amount: 1, currency: 'USD' },
    );
    expect(await placesOf({ order: bySeats() })).toEqual([2, 1, 3, 0]);
    expect(await placesOf({ order: bySeats(true) })).toEqual([2, 1, 0, 3]);
  });

  test('can be sorted by their last delivery', async () => {
    const { placesOf } = await createSorted(
      { amount: 1, synced: '2026-11-03T00:00:00Z' },
      { amount: 2, synced: '2026-11-01T00:00:00Z' },
      null,
      { amount: 3, synced: '2026-11-02T00:00:00Z' },
    );
    expect(await placesOf({ order: { by: 'delivered', descending: false } })).toEqual([1, 3, 0, 2]);
    expect(await placesOf({ order: { by: 'delivered', descending: true } })).toEqual([0, 3, 1, 2]);
  });

  test('contain figures only for the requested part of the list, but leave an access record for each compared company', async () => {
    const { world, newcomer, ids, read } = await createSorted(
      { amount: 20 },
      { amount: 100 },
      { amount: 3 },
    );
    const part = { offset: 1, count: 1 };
    const { order, companies } = await read({ order: bySeats(), part });
    expect(order).toEqual([ids[2], ids[0], ids[1]]);
    expect([...companies.keys()]).toEqual([ids[0]]);
    const records = recordsIn(await world.callers.listAccessRecords(newcomer.caller));
    expect(records.map(({ companyId }) => companyId).toSorted()).toEqual(ids.toSorted());
  });
});
