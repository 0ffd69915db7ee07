import { expect, test } from 'vitest';
import type { CompanyData, Metric, ReportedSource } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';
import { asOfNow } from '../support/call.ts';

const mebibyte = 1024 * 1024;

/** The store behind the cache records each query, and returns a different answer each time. */
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
    countUnhealthySources: () => Promise.reject(new Error('is not asked')),
    findCompaniesWithUnhealthySources: () => Promise.reject(new Error('is not asked')),
  };
  return { asked, kept: cacheCompanyData(data, new DataCache(budgetBytes)) };
}

const harbor = { ...asOfNow('co_harbor'), dataVersion: '1' };

test('the cache sends a query once per data version, and returns the same rows afterwards', async () => {
  const { asked, kept } = createDesk();
  const first = await kept.latestMetrics(harbor);
  expect(await kept.latestMetrics(harbor)).toBe(first);
  expect(asked).toEqual(['latest co_harbor']);
});

test('the cache sends a new query for another company, data version or resource', async () => {
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

test('the cache stores no rows of a metric history', async () => {
  const { asked, kept } = createDesk();
  for (const _ of [1, 2]) await kept.metricHistory(harbor, 'cash');
  expect(asked).toHaveLength(2);
});

test('the cache stores no error, so the next call sends the query again', async () => {
  const { asked, kept } = createDesk();
  for (const _ of [1, 2]) await expect(kept.accounts(harbor)).rejects.toThrow('lost');
  expect(asked).toEqual(['accounts', 'accounts']);
});
