import { afterEach, describe, expect, it, vi } from 'vitest';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';
import { closedAfterAll } from '../support/closed.ts';
import { createHttpClient } from '../support/http-client.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(
  startService({
    storage: { memory: true },
    // Caches company data, as a real process does.
    replace: ({ companyData }) => ({
      companyData: cacheCompanyData(companyData, new DataCache(10_000_000)),
    }),
  }),
);
const http = await closedAfterAll(createHttpClient(service.url));
afterEach(() => vi.restoreAllMocks());

const readers = {
  'a tool of MCP': {
    metrics: 'read_metrics',
    sources: 'list_sources',
    accounts: 'list_accounts',
    metric_history: 'read_metric_history',
    read: (name: string, key: string, input: object) =>
      http.call('POST', '/mcp', {
        key,
        headers: { accept: 'application/json, text/event-stream' },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: input },
        },
      }),
  },
  'a stream of tRPC': {
    metrics: 'metrics.latest',
    sources: 'sources.list',
    accounts: 'accounts.list',
    metric_history: 'metrics.history',
    read: (name: string, key: string, input: object) =>
      http.call('POST', `/trpc/${name}?batch=1`, {
        key,
        headers: { 'trpc-accept': 'application/jsonl' },
        body: { 0: input },
      }),
  },
} as const;

describe.each(Object.entries(readers))('%s', (_name, { read, ...names }) => {
  it.each([
    ['metrics', {}],
    ['sources', {}],
    ['accounts', {}],
    ['metric_history', { key: 'cash_balance' }],
  ] as const)('serialises the rows of the same read only once: %s', async (resource, input) => {
    const { key, company } = await service.fixtures.readablePortfolio();
    const kept = vi.spyOn(DataCache.prototype, 'getOrMake');
    const answer = await read(names[resource], key, { companyId: company.id, ...input });
    expect(answer.text).toContain(company.id);
    expect(kept.mock.calls.map(([reading, form]) => [form, reading.resource])).toEqual([
      ['rows', resource],
    ]);
  });
});
