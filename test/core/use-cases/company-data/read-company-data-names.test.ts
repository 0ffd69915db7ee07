import { describe, expect, test } from 'vitest';
import type { Reading } from '#core';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { aNewcomer, later } from '../../world.ts';

/** A caller, and functions that return the cache name of each of its reads without loading data. */
async function createReader() {
  const { world, newcomer } = await aNewcomer();
  await importLines(world.operator, sampleData(newcomer.companyId));
  await world.grant(newcomer);
  const { caller, companyId } = newcomer;
  const { readers } = world;
  const latest = (keys?: string[] | null) => readers.readLatestMetrics(caller, { companyId, keys });
  const metric = (key: string) => readers.readLatestMetric(caller, { companyId, key });
  type Within = { key?: string; from?: string | null; to?: string | null };
  const history = (within: Within = {}) =>
    readers.readMetricHistory(caller, { companyId, key: 'mrr', ...within });
  const revisions = (within: Within = {}) =>
    readers.readMetricRevisions(caller, { companyId, key: 'mrr', ...within });
  const histories = (keys: string[], within: Pick<Within, 'from' | 'to'> = {}) =>
    readers.readMetricHistories(caller, { companyId, keys, ...within });
  const sources = () => readers.readSources(caller, { companyId });
  const accounts = () => readers.readAccounts(caller, { companyId });
  return { world, companyId, latest, metric, history, histories, revisions, sources, accounts };
}

const first = '2026-01-31';
const second = '2026-02-28';

describe('the cache name of a read', () => {
  test('differs for any read of other data', async () => {
    const { latest, metric, history, histories, revisions, sources, accounts } =
      await createReader();
    const readings: Reading<unknown>[] = [
      await histories(['mrr']),
      await histories(['arr', 'mrr']),
      await histories(['mrr', 'arr']),
      await histories(['mrr'], { from: first }),
      await histories(['mrr'], { to: first }),
      await latest(),
      await latest([]),
      await latest(['mrr']),
      await latest(['arr']),
      await latest(['arr', 'mrr']),
      await metric('mrr'),
      await metric('arr'),
      await sources(),
      await accounts(),
    ];
    for (const read of [history, revisions]) {
      readings.push(
        await read(),
        await read({ key: 'arr' }),
        await read({ from: first }),
        await read({ from: second }),
        await read({ to: first }),
        await read({ to: second }),
        await read({ from: first, to: second }),
        await read({ from: first, to: first }),
      );
    }
    const names = readings.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('stays the same for the same read until the data changes', async () => {
    const { world, companyId, latest, history, revisions } = await createReader();
    const nameOf = async (read: Promise<Reading<unknown>>) => (await read).name;
    const all = () =>
      Promise.all([latest(null), history({ from: first }), revisions()].map(nameOf));
    const before = await all();
    expect(await all()).toEqual(before);
    expect(await nameOf(latest())).toEqual(await nameOf(latest(null)));
    expect(await nameOf(history())).toEqual(await nameOf(history({ from: null, to: null })));
    world.clock.set(later(1000));
    await importLines(world.operator, [{ ...sampleData(companyId)[0], raw_value: 7 }]);
    for (const [index, name] of (await all()).entries()) {
      expect(name).not.toBe(before[index]);
    }
  });

  test('is marked with hasUnlimitedVariants if a caller can create any number of similar reads', async () => {
    const { latest, metric, history, revisions, sources, accounts } = await createReader();
    const few = [latest(), metric('mrr'), history(), sources(), accounts()];
    const many = [
      latest(['mrr']),
      metric('½'),
      history({ key: '½' }),
      history({ from: first }),
      history({ to: first }),
      history({ from: first, to: second }),
      revisions(),
    ];
    const areOneOfMany = async (readings: readonly Promise<Reading<unknown>>[]) =>
      (await Promise.all(readings)).map(({ hasUnlimitedVariants }) => hasUnlimitedVariants);
    expect(await areOneOfMany(few)).toEqual(few.map(() => false));
    expect(await areOneOfMany(many)).toEqual(many.map(() => true));
  });
});
