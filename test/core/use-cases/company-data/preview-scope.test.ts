import { describe, expect, test } from 'vitest';
import { grantableScopes } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../../../gateway/company-data-cache.ts';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { metricLine, sourceLine } from '../../builders.ts';
import { createWorld, day, expectRefusal, later, start, type World } from '../../world.ts';

async function companyWithData(world: World) {
  const newcomer = await world.newcomer();
  await importLines(world.operator, sampleData(newcomer.companyId));
  await importLines(world.operator, sampleData((await world.newcomer()).companyId));
  return { ...newcomer, self: await world.admitCompany(newcomer.companyId) };
}

describe('a company’s preview of its own data', () => {
  test('shows the data that an investor with the scope can read, and leaves no access record', async () => {
    const world = createWorld();
    const { self, caller, companyId, key } = await companyWithData(world);
    const preview = async (scope: (typeof grantableScopes)[number]) =>
      world.companies.previewScope(self, { scope });
    const shown = await Promise.all(grantableScopes.map(preview));
    const { records } = await world.operator.listCompanyAccessRecords({ companyId, limit: 10 });
    expect(records).toEqual([]);
    const { id } = await world.request(key, companyId);
    await world.companies.approveRequest(self, { id });
    const seen = [
      await world.callers.readLatestMetrics(caller, { companyId }),
      await world.callers.readAccounts(caller, { companyId }),
      await world.callers.readSources(caller, { companyId }),
    ];
    expect(shown.map(({ items }) => items)).toEqual(seen);
    expect(shown.map(({ count }) => count)).toEqual([2, 2, 2]);
    expect(shown.map(({ scope }) => scope)).toEqual(grantableScopes);
  });

  test('shows only what the given terms allow', async () => {
    const world = createWorld();
    const { self } = await companyWithData(world);
    const terms = { metricKeys: ['cash_balance', 'none'], historyFrom: '2026-09-01' };
    const preview = await world.companies.previewScope(self, { scope: 'metrics:read', terms });
    expect(preview).toMatchObject({ count: 1, items: [{ key: 'cash_balance' }] });
    const [history, ...others] = 'histories' in preview ? preview.histories : [];
    expect(others).toEqual([]);
    expect(history?.values.map(({ period }) => period)).toEqual(['2026-09-30', '2026-10-31']);
    const future = { terms: { historyFrom: '2027-01-01' }, scope: 'metrics:read' } as const;
    expect(await world.companies.previewScope(self, future)).toMatchObject({ count: 0 });
  });

  test('shows the first 200 metrics sorted by key, and the number of all metrics', async () => {
    const world = createWorld();
    const { self, companyId } = await companyWithData(world);
    const keys = Array.from({ length: 205 }, (_, index) => `a${String(index).padStart(3, '0')}`);
    await importLines(
      world.operator,
      keys.map((key) => metricLine(companyId, { key })),
    );
    const { items, count } = await world.companies.previewScope(self, { scope: 'metrics:read' });
    expect(items).toMatchObject(keys.slice(0, 200).map((key) => ({ key, companyId })));
    expect(count).toBe(207);
  });

  test('shows the history of the first twelve metrics over two years, oldest first', async () => {
    const world = createWorld();
    const { self, companyId } = await companyWithData(world);
    const keys = Array.from({ length: 13 }, (_, index) => `a${String(index).padStart(3, '0')}`);
    const periods = [731, 730, 1].map((days) =>
      later(-days * day)
        .toISOString()
        .slice(0, 10),
    );
    await importLines(
      world.operator,
      keys.flatMap((key) => periods.map((period) => metricLine(companyId, { key, period }))),
    );
    const preview = await world.companies.previewScope(self, { scope: 'metrics:read' });
    const histories = 'histories' in preview ? preview.histories : [];
    expect(histories.map(({ key }) => key)).toEqual(keys.slice(0, 12));
    for (const { values } of histories) {
      expect(values.map(({ period }) => period)).toEqual(periods.slice(1));
    }
  });

  test('shows the current data, even if the cache contains older data', async () => {
    const world = createWorld(({ companyData }) => ({
      companyData: cacheCompanyData(companyData, new DataCache(1_000_000)),
    }));
    const { self, companyId } = await companyWithData(world);
    const count = async () =>
      (await world.companies.previewScope(self, { scope: 'metrics:read' })).count;
    expect(await count()).toBe(2);
    await importLines(world.operator, [metricLine(companyId)]);
    expect(await count()).toBe(3);
  });

  test('shows sources with their current status', async () => {
    const world = createWorld();
    const { self, companyId } = await companyWithData(world);
    const expected = { last_synced_at: start.toISOString(), expected_every: 'P1D' };
    await importLines(world.operator, [sourceLine(companyId, { provider: 'brex', ...expected })]);
    const statuses = async () =>
      (await world.companies.previewScope(self, { scope: 'sources:read' })).items.map((item) =>
        'status' in item ? item.status : null,
      );
    expect(await statuses()).toEqual(['connected', 'error', 'connected']);
    world.clock.set(later(day));
    expect(await statuses()).toEqual(['stale', 'error', 'connected']);
  });

  test('is empty if the company has no data', async () => {
    const world = createWorld();
    const self = await world.admitCompany((await world.company()).id);
    for (const scope of grantableScopes) {
      expect(await world.companies.previewScope(self, { scope })).toEqual({
        scope,
        items: [],
        count: 0,
        ...(scope === 'metrics:read' && { histories: [] }),
      });
    }
  });

  test('is refused for a scope that a company can’t grant, and for input with a company id', async () => {
    const world = createWorld();
    const { self } = await companyWithData(world);
    const { companies } = world;
    for (const input of [
      { scope: 'reports:read' },
      {},
      { scope: 'metrics:read', companyId: 'co_1' },
    ]) {
      await expectRefusal(
        async () => companies.previewScope(self, input as never),
        'invalid_parameter',
      );
    }
  });
});
