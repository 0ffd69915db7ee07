import { expect, test } from 'vitest';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { recordsIn } from '../../../support/records-in.ts';
import { aNewcomer } from '../../world.ts';

async function createReader() {
  const { world, newcomer } = await aNewcomer();
  await importLines(world.operator, sampleData(newcomer.companyId));
  const { id } = await world.grant(newcomer);
  const { caller, companyId } = newcomer;
  type Asked = { keys: string[]; from?: string | null; to?: string | null };
  const read = (asked: Asked) => world.callers.readMetricHistories(caller, { companyId, ...asked });
  const records = async () => recordsIn(await world.callers.listAccessRecords(caller));
  return { read, records, grantId: id };
}

test('a read of several histories returns one history per metric in the requested order, empty for an unknown key', async () => {
  const { read } = await createReader();
  const found = await read({ keys: ['headcount', 'none', '½', 'cash_balance', 'headcount'] });
  expect(found.map(({ key, values }) => [key, values.map(({ period }) => period)])).toEqual([
    ['headcount', ['2026-10-31']],
    ['none', []],
    ['½', []],
    ['cash_balance', ['2026-08-31', '2026-09-30', '2026-10-31']],
  ]);
});

test('a read of several histories can be limited to the periods between from and to', async () => {
  const { read } = await createReader();
  const count = async (bounds: { from?: string | null; to?: string | null }) =>
    (await read({ keys: ['cash_balance'], ...bounds }))[0]?.values.length;
  expect(await count({ from: '2026-09-30' })).toBe(2);
  expect(await count({ to: '2026-09-30' })).toBe(2);
  expect(await count({ from: null, to: null })).toBe(3);
});

test('a read of several histories leaves one access record without a metric key', async () => {
  const { read, records, grantId } = await createReader();
  await read({ keys: ['headcount', 'cash_balance'] });
  expect(await records()).toMatchObject([
    { resource: 'metric_history', metricKey: null, grantId, outcome: 'allowed', count: 1 },
  ]);
});
