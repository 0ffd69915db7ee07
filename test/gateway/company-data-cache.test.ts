import { expect, test } from 'vitest';
import type { CompanyData, Metric, ReportedSource } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';
import { asOfNow } from '../support/call.ts';

const mebibyte = 1024 * 1024;

/** A store of which the test sees what it was asked, each time with another answer. */
function createDesk(budgetBytes = mebibyte) {
  const asked: string[] = [];
  const note = (question: string) => {
    asked.push(question);
    return [{ companyId: question, provider: String(asked.length) } as unknown];
  };
  const data: CompanyData = {
    version: async () => '1',
    latestMetrics: async ({ companyId }) => note(`latest ${companyId}`) as Metric[],
    metricHistory: async ({ companyId }, key, periods) =>
      note(`history ${companyId} ${key} ${periods?.from ?? ''}`) as Metric[],
    metricHistories: async () => [],
    nearestValues: async () => [],
    metricNames: async () => new Map(),
    metricEntries: async () => [],
    recentValues: async () => [],
    metricRevisions: async ({ companyId }) => note(`revisions ${companyId}`) as Metric[],
    sources: async ({ companyId }) => note(`sources ${companyId}`) as ReportedSource[],
    accounts: async () => {
      asked.push('accounts');
      throw new Error('lost');
    },
    countStopped: () => Promise.reject(new Error('is not asked')),
    findStopped: () => Promise.reject(new Error('is not asked')),
  };
  return { asked, kept: cacheCompanyData(data, new DataCache(budgetBytes)) };
}

const harbor = { ...asOfNow('co_harbor'), dataVersion: '1' };

test('the same question about the same version is asked once, and answered with the same rows', async () => {
  const { asked, kept } = createDesk();
  const first = await kept.latestMetrics(harbor);
  expect(await kept.latestMetrics(harbor)).toBe(first);
  expect(asked).toEqual(['latest co_harbor']);
});

test('another company, version or resource is another question', async () => {
  const { asked, kept } = createDesk();
  for (const _ of [1, 2]) {
    await kept.latestMetrics(harbor);
    await kept.latestMetrics({ ...harbor, companyId: 'co_juniper' });
    await kept.latestMetrics({ ...harbor, dataVersion: '2' });
    await kept.sources(harbor);
  }
  expect(asked).toEqual([
    'latest co_harbor',
    'latest co_juniper',
    'latest co_harbor',
    'sources co_harbor',
  ]);
});

test('the rows of a history are kept by those alone who need them as rows', async () => {
  const { asked, kept } = createDesk();
  for (const _ of [1, 2]) await kept.metricHistory(harbor, 'cash');
  expect(asked).toHaveLength(2);
});

test('a failure is not kept', async () => {
  const { asked, kept } = createDesk();
  for (const _ of [1, 2]) await expect(kept.accounts(harbor)).rejects.toThrow('lost');
  expect(asked).toEqual(['accounts', 'accounts']);
});
