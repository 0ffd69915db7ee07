import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CompanyData, Metric } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';
import { startService, type TestService } from '../support/service.ts';
import { createTrpcClient, type TrpcClient } from './support.ts';

let service: TestService;
let client: TrpcClient;
/** How often the label of a metric was looked at to put it into an answer. */
let looks = 0;

/** What the service reads, with labels that count who looks at them, and as a process remembers it. */
function countLooks(data: CompanyData): CompanyData {
  const counting = (metrics: readonly Metric[]) =>
    metrics.map((metric) =>
      Object.defineProperty({ ...metric }, 'label', {
        get() {
          looks += 1;
          return metric.label;
        },
      }),
    );
  const counted: CompanyData = {
    ...data,
    latestMetrics: async (...asked) => counting(await data.latestMetrics(...asked)),
    metricHistory: async (...asked) => counting(await data.metricHistory(...asked)),
  };
  return cacheCompanyData(counted, new DataCache(10_000_000));
}

beforeAll(async () => {
  service = await startService({
    storage: { memory: true },
    replace: ({ companyData }) => ({ companyData: countLooks(companyData) }),
  });
  client = createTrpcClient(service.url);
});
afterAll(async () => {
  client?.close();
  await service?.close();
});

it.each([
  ['metrics.latest', {}],
  ['metrics.byKey', { key: 'cash_balance' }],
  ['metrics.history', { key: 'cash_balance' }],
])('what is remembered is presented once, however often it is read: %s', async (name, input) => {
  const { key, company } = await service.fixtures.readablePortfolio();
  const read = () => client.ask(key, name, { companyId: company.id, ...input });
  const first = await read();
  expect(first.body.result.data).toMatchObject(
    name === 'metrics.byKey' ? { label: 'Cash balance' } : expect.any(Array),
  );
  const before = looks;
  expect((await read()).text).toBe(first.text);
  expect((await read()).text).toBe(first.text);
  expect(before).toBeGreaterThan(0);
  expect(looks).toBe(before);
});
