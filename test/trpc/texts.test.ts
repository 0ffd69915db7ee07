import { afterEach, expect, it, vi } from 'vitest';
import { importLines } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { WatchedMetrics } from '../support/watched-metrics.ts';
import { serveTrpc } from './support.ts';

const watched = new WatchedMetrics();
const { service, client } = await serveTrpc({
  replace: ({ companyData }) => ({ companyData: watched.of(companyData) }),
});

it.each([
  ['metrics.latest', {}],
  ['metrics.byKey', { key: 'cash_balance' }],
  ['metrics.history', { key: 'cash_balance' }],
])('a cached value is serialised once, however often it is read: %s', async (name, input) => {
  const { key, company } = await service.fixtures.readablePortfolio();
  const read = () => client.ask(key, name, { companyId: company.id, ...input });
  const first = await read();
  expect(first.body.result.data).toMatchObject(
    name === 'metrics.byKey' ? { label: 'Cash balance' } : expect.any(Array),
  );
  const before = watched.looks;
  expect((await read()).text).toBe(first.text);
  expect((await read()).text).toBe(first.text);
  expect(before).toBeGreaterThan(0);
  expect(watched.looks).toBe(before);
});

afterEach(() => {
  vi.useRealTimers();
});

it('the cached text of sources is replaced when one of them becomes stale', async () => {
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
