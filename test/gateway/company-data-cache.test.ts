import { expect, test } from 'vitest';
import type { CompanyData, Metric, Source } from '#core';
import { rememberCompanyData } from '../../gateway/company-data-cache.ts';

const mebibyte = 1024 * 1024;

/** A store of which the test sees what it was asked, each time with another answer. */
function createDesk(budgetBytes = mebibyte) {
  const asked: string[] = [];
  const note = (question: string) => {
    asked.push(question);
    return [{ companyId: question, provider: String(asked.length) } as unknown];
  };
  const data: CompanyData = {
    latestMetrics: async ({ companyId }) => note(`latest ${companyId}`) as Metric[],
    metricHistory: async ({ companyId }, key, periods) =>
      note(`history ${companyId} ${key} ${periods?.from ?? ''}`) as Metric[],
    sources: async ({ companyId }) => note(`sources ${companyId}`) as Source[],
    accounts: async () => {
      asked.push('accounts');
      throw new Error('lost');
    },
  };
  return { asked, memory: rememberCompanyData(data, budgetBytes) };
}

const harbor = { companyId: 'co_harbor', dataVersion: '1' };

test('the same question about the same version is asked once, and answered with the same rows', async () => {
  const { asked, memory } = createDesk();
  const first = await memory.latestMetrics(harbor);
  expect(await memory.latestMetrics(harbor)).toBe(first);
  expect(asked).toEqual(['latest co_harbor']);
});

test('what is asked while the same is being read is not asked again', async () => {
  const { asked, memory } = createDesk();
  const [first, second, other] = await Promise.all([
    memory.latestMetrics(harbor),
    memory.latestMetrics(harbor),
    memory.latestMetrics({ ...harbor, dataVersion: '2' }),
  ]);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
  expect(asked).toHaveLength(2);
});

test('a failure is told to all who wait for it, and the next one asks again', async () => {
  const { asked, memory } = createDesk();
  const outcomes = await Promise.allSettled([memory.accounts(harbor), memory.accounts(harbor)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toEqual(['accounts']);
  await expect(memory.accounts(harbor)).rejects.toThrow('lost');
  expect(asked).toEqual(['accounts', 'accounts']);
});

test('another version is read anew', async () => {
  const { asked, memory } = createDesk();
  const first = await memory.latestMetrics(harbor);
  expect(await memory.latestMetrics({ ...harbor, dataVersion: '2' })).not.toEqual(first);
  expect(asked).toHaveLength(2);
});

test('another company, resource, metric or period is another question', async () => {
  const { asked, memory } = createDesk();
  const periods = { from: '2026-01-31', to: null };
  for (const _ of [1, 2]) {
    await memory.latestMetrics(harbor);
    await memory.latestMetrics({ ...harbor, companyId: 'co_juniper' });
    await memory.sources(harbor);
    await memory.metricHistory(harbor, 'cash');
    await memory.metricHistory(harbor, 'burn');
    await memory.metricHistory(harbor, 'cash', periods);
    await memory.metricHistory(harbor, 'cash', { from: null, to: '2026-01-31' });
  }
  expect(new Set(asked).size).toBe(6);
  expect(asked).toHaveLength(7);
});

test('a failure is not remembered', async () => {
  const { asked, memory } = createDesk();
  for (const _ of [1, 2]) await expect(memory.accounts(harbor)).rejects.toThrow('lost');
  expect(asked).toEqual(['accounts', 'accounts']);
});

test('what was not asked for longest is forgotten once there is too much', async () => {
  const { asked, memory } = createDesk(2_000);
  const read = (companyId: string) => memory.sources({ ...harbor, companyId });
  await read('co_1');
  await read('co_2');
  await read('co_1');
  await read('co_3');
  asked.length = 0;
  await read('co_1');
  await read('co_2');
  expect(asked).toEqual(['sources co_2']);
});

test('what is larger than all memory is read each time', async () => {
  const { asked, memory } = createDesk(10);
  await memory.sources(harbor);
  await memory.sources(harbor);
  expect(asked).toHaveLength(2);
});
