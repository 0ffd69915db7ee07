import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  grantableScopes,
  type Investor,
  type InvestorCaller,
  type ReadStatistics,
  type ReceivedRecord,
} from '#core';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { createWorld, day, expectRefusal, later, start, type World } from '../../world.ts';

async function readCompany(investors = 2, world = createWorld()) {
  const company = await world.company();
  const { id: companyId } = company;
  await importLines(world.operator, sampleData(companyId));
  const callers: { readonly investor: Investor; readonly caller: InvestorCaller }[] = [];
  for (let index = 0; index < investors; index += 1) {
    const another = await world.anotherInvestor(companyId);
    if (index % 2 === 0) await world.grant({ ...another, company });
    callers.push(another);
  }
  const { readLatestMetrics, readLatestMetric, readSources } = world.callers;
  const reads = [
    (index: number) => readLatestMetrics(callerAt(index), { companyId }),
    (index: number) => readLatestMetric(callerAt(index), { companyId, key: 'cash_balance' }),
    (index: number) => readLatestMetric(callerAt(index), { companyId, key: 'headcount' }),
    (index: number) => readSources(callerAt(index), { companyId }),
  ] as const;
  const callerAt = (index: number) => {
    const one = callers[index];
    if (one === undefined) throw new Error(`there is no investor ${index}`);
    requests += 1;
    return { ...one.caller, requestId: `req_${requests}` };
  };
  let requests = 0;
  const read = async (index: number, what: number) => {
    await reads[what]?.(index).catch(() => undefined);
  };
  return { world, callers, read, self: await world.admitCompany(companyId) };
}

type Counted = Awaited<ReturnType<World['ports']['accessStatistics']['countReads']>>;

function replaceReads({ ports }: World, change: (found: Counted) => Counted) {
  const { countReads } = ports.accessStatistics;
  ports.accessStatistics.countReads = async (question) => change(await countReads(question));
}

describe('the statistics about reads of a company', () => {
  test('sort investors with the same number of reads by id, whatever order the database returns', async () => {
    const inOrder = async (from: readonly number[]) => {
      const { world, callers, read, self } = await readCompany(3);
      replaceReads(world, ({ byInvestor, ...others }) => ({
        ...others,
        byInvestor: from.flatMap((index) => byInvestor[index] ?? []),
      }));
      for (const index of callers.keys()) await read(index, 0);
      const { investors: told } = await world.companies.readAccessStatistics(self);
      expect(told.map(({ investor }) => investor.id)).toEqual(
        callers.map(({ investor }) => investor.id).toSorted(),
      );
    };
    await inOrder([0, 1, 2]);
    await inOrder([2, 0, 1]);
  });

  test('sort the days with the oldest first, whatever order the database returns', async () => {
    const { world, read, self } = await readCompany(1);
    replaceReads(world, ({ byInvestor, byMetric }) => ({
      byInvestor: byInvestor.toReversed(),
      byMetric: byMetric.toReversed(),
    }));
    for (let count = 0; count < 3; count += 1) {
      await read(0, 0);
      world.clock.advance(day);
    }
    const { total, investors, metrics } = await world.companies.readAccessStatistics(self);
    for (const { days } of [total, ...investors, ...metrics]) {
      expect(days.map((one) => one.day)).toEqual(['2026-11-02', '2026-11-03', '2026-11-04']);
    }
  });

  test('list reads without a metric key before a metric with equally many reads', async () => {
    const { world, callers, read, self } = await readCompany(1);
    const { companyId } = self;
    await read(0, 0);
    for (const key of ['0_users', 'arr']) {
      const reading = callers.map(({ caller }) =>
        world.callers.readLatestMetric(caller, { companyId, key }),
      );
      await Promise.allSettled(reading);
    }
    const { metrics } = await world.companies.readAccessStatistics(self);
    expect(metrics.map(({ metricKey }) => metricKey)).toEqual([null, '0_users', 'arr']);
  });

  test('are empty for a malformed investor id, and cause no database query', async () => {
    const { world, self } = await readCompany(0);
    const counting = vi.spyOn(world.ports.accessStatistics, 'countReads');
    expect(await world.companies.readAccessStatistics(self, { investorId: '\u0000' })).toEqual({
      firstDay: '2026-10-04',
      lastDay: '2026-11-02',
      total: { allowed: 0, refused: 0, days: [] },
      investors: [],
      otherInvestors: null,
      metrics: [],
      otherMetrics: null,
    });
    expect(counting).not.toHaveBeenCalled();
  });

  test('count reads by day, investor and metric, highest counts first', async () => {
    const { world, callers, read, self } = await readCompany();
    for (const what of [0, 1, 1]) await read(0, what);
    world.clock.advance(day);
    await read(0, 1);
    await read(1, 0);
    const statistics = await world.companies.readAccessStatistics(self);
    const [first, second] = callers.map(({ investor: { id, name } }) => ({ id, name }));
    const on = (date: string) => (allowed: number, refused: number) => ({
      day: date,
      allowed,
      refused,
    });
    const [yesterday, today] = [on('2026-11-02'), on('2026-11-03')];
    const series = (allowed: number, refused: number, ...days: ReturnType<typeof today>[]) => ({
      allowed,
      refused,
      days,
    });
    expect(statistics).toEqual<ReadStatistics>({
      firstDay: '2026-10-05',
      lastDay: '2026-11-03',
      total: series(4, 1, yesterday(3, 0), today(1, 1)),
      investors: [
        { investor: first as never, ...series(4, 0, yesterday(3, 0), today(1, 0)) },
        { investor: second as never, ...series(0, 1, today(0, 1)) },
      ],
      otherInvestors: null,
      metrics: [
        { metricKey: 'cash_balance', ...series(3, 0, yesterday(2, 0), today(1, 0)) },
        { metricKey: null, ...series(1, 1, yesterday(1, 0), today(0, 1)) },
      ],
      otherMetrics: null,
    });
  });

  test('combine the reads of the investors beyond the limit as otherInvestors', async () => {
    const { world, read, self } = await readCompany(52);
    for (let index = 0; index < 52; index += 1) await read(index, 0);
    await read(51, 0);
    const { investors, otherInvestors, otherMetrics, total } =
      await world.companies.readAccessStatistics(self);
    expect(investors).toHaveLength(50);
    expect(investors[0]).toMatchObject({ refused: 2 });
    expect(otherInvestors).toMatchObject({ allowed: 1, refused: 1, days: [{ day: '2026-11-02' }] });
    expect(otherMetrics).toBeNull();
    expect(total).toMatchObject({ allowed: 26, refused: 27 });
  });

  test('combine the reads of the metrics beyond the limit as otherMetrics', async () => {
    const { world, callers, self } = await readCompany(1);
    const [one] = callers;
    if (one === undefined) throw new Error('nobody reads');
    for (let index = 0; index < 51; index += 1) {
      const key = `metric_${index}`;
      await world.callers
        .readLatestMetric(one.caller, { companyId: self.companyId, key })
        .catch(() => undefined);
    }
    const { metrics, otherMetrics } = await world.companies.readAccessStatistics(self);
    expect(metrics).toHaveLength(50);
    expect(otherMetrics).toMatchObject({ allowed: 1, refused: 0 });
  });

  test('cover all days from start to end, and can be filtered by investor or scope', async () => {
    const { world, callers, read, self } = await readCompany();
    for (let count = 0; count < 5; count += 1) {
      await read(0, count % 2 === 0 ? 0 : 3);
      await read(1, 0);
      world.clock.advance(day);
    }
    const count = async (input: Parameters<typeof world.companies.readAccessStatistics>[1]) => {
      const { total } = await world.companies.readAccessStatistics(self, input);
      return [total.allowed, total.refused];
    };
    expect(await count({})).toEqual([5, 5]);
    expect(await count({ since: null, until: null, investorId: null, scope: null })).toEqual([
      5, 5,
    ]);
    expect(await count({ since: later(3 * day), until: later(4 * day) })).toEqual([2, 2]);
    expect(await count({ until: later(0).toISOString() })).toEqual([1, 1]);
    expect(await count({ since: later(2 * day), until: later(day) })).toEqual([0, 0]);
    expect(await count({ investorId: callers[1]?.investor.id ?? '' })).toEqual([0, 5]);
    expect(await count({ investorId: '\u0000' })).toEqual([0, 0]);
    expect(await count({ scope: 'sources:read' })).toEqual([2, 0]);
  });

  test.each([
    ['since', { since: later(-366 * day), until: start }],
    ['since', { until: new Date('0001-01-01T00:00:00Z') }],
    ['since', { since: 'yesterday' }],
    ['scope', { scope: 'companies:read' }],
    ['investorId', { investorId: 5 }],
    ['day', { day: 1 }],
  ])('are refused because of the parameter %s: %j', async (parameter, input) => {
    const { world, self } = await readCompany(0);
    const reading = world.companies.readAccessStatistics(self, input as never);
    expect(await expectRefusal(reading, 'invalid_parameter')).toMatchObject({ parameter });
  });

  test('can cover 366 days', async () => {
    const { world, self } = await readCompany(0);
    const input = { since: later(-365 * day), until: start };
    expect(await world.companies.readAccessStatistics(self, input)).toMatchObject({
      firstDay: '2025-11-02',
      lastDay: '2026-11-02',
    });
  });

  test('match the numbers in the listed access records after any sequence of reads', async () => {
    const step = fc.record({
      investor: fc.nat(3),
      what: fc.nat(3),
      pause: fc.nat(2 * day),
    });
    const filter = fc.record({
      investor: fc.option(fc.nat(3)),
      scope: fc.option(fc.constantFrom(...grantableScopes)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), filter, async (steps, asked) => {
        const { world, callers, read, self } = await readCompany(4);
        for (const { investor, what, pause } of steps) {
          await read(investor, what);
          world.clock.advance(pause);
        }
        const investorId = asked.investor === null ? null : callers[asked.investor]?.investor.id;
        const narrowed = { investorId, scope: asked.scope };
        const { items } = await world.companies.listReceivedRecords(self, {
          ...narrowed,
          limit: 200,
        });
        const range = { since: start, until: world.clock.now() };
        const statistics = await world.companies.readAccessStatistics(self, {
          ...narrowed,
          ...range,
        });
        expect(told(statistics)).toEqual(counted(items));
      }),
      { numRuns: 30 },
    );
  });
});

test('the background job counts the reads of finished days until all are counted or the process stops', async () => {
  const { ports, background } = createWorld();
  const count = vi.spyOn(ports.accessStatistics, 'countNextDay');
  count.mockResolvedValueOnce(true).mockResolvedValueOnce(true).mockResolvedValueOnce(false);
  await background.countAccessRecords();
  expect(count).toHaveBeenCalledTimes(3);
  await background.countAccessRecords({ isStopping: () => true });
  expect(count).toHaveBeenCalledTimes(3);
});

/** Returns one line for each number in the statistics that isn't zero. */
function told({ investors, metrics, total }: ReadStatistics): string[] {
  return [
    ...investors.flatMap(({ investor, days }) => linesOf(investor.id, days)),
    ...metrics.flatMap(({ metricKey, days }) => linesOf(`metric ${metricKey}`, days)),
    ...linesOf('all', total.days),
  ].toSorted();
}

function linesOf(name: string, days: ReadStatistics['total']['days']): string[] {
  return days.flatMap(({ day: date, allowed, refused }) => [
    ...(allowed > 0 ? [`${name} ${date} allowed ${allowed}`] : []),
    ...(refused > 0 ? [`${name} ${date} refused ${refused}`] : []),
  ]);
}

/** Returns the lines that `told` should return, counted in the access records. */
function counted(records: readonly ReceivedRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const { investorId, metricKey, occurredAt, outcome, count } of records) {
    const date = occurredAt.toISOString().slice(0, 10);
    const kind = outcome === 'allowed' ? 'allowed' : 'refused';
    for (const name of [investorId, `metric ${metricKey}`, 'all']) {
      const line = `${name} ${date} ${kind}`;
      counts.set(line, (counts.get(line) ?? 0) + count);
    }
  }
  return [...counts].map(([line, count]) => `${line} ${count}`).toSorted();
}
