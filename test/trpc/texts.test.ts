import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { CompanyData, Metric } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';
import { importLines } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
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

afterEach(() => {
  vi.useRealTimers();
});

it('the text of sources is another one from the instant on at which one of them is stale', async () => {
  const { key, company } = await service.fixtures.readablePortfolio();
  const start = Date.now();
  const hour = 3_600_000;
  await importLines(service.operator, [
    {
      type: 'source',
      company_id: company.id,
      provider: 'brex',
      status: 'connected',
      account_name: 'Cards',
      last_synced_at: new Date(start).toISOString(),
      expected_every: 'PT1H',
    },
  ]);
  const read = () => client.ask(key, 'sources.list', { companyId: company.id });
  const statusesAt = async (now: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now });
    const { body, text } = await read();
    expect((await read()).text).toBe(text);
    return body.result.data.map(({ status }: Json) => status);
  };
  expect(await statusesAt(start + hour - 1)).toEqual(['connected', 'error', 'connected']);
  expect(await statusesAt(start + hour)).toEqual(['stale', 'error', 'connected']);
  expect(await statusesAt(start + hour - 1)).toEqual(['connected', 'error', 'connected']);
});
