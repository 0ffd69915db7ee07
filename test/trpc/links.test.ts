import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  isTRPCClientError,
  loggerLink,
  retryLink,
  splitLink,
  type TRPCLink,
} from '@trpc/client';
import { describe, expect, it } from 'vitest';
import type { AppRouter, ErrorData } from '../../client/index.ts';
import { closedAfterAll } from '../support/closed.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));

interface LinkOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly methodOverride?: 'POST';
}

/** The links and settings that a user of tRPC's own client may choose. */
const linksOf: Record<string, (options: LinkOptions) => TRPCLink<AppRouter>[]> = {
  httpLink: (options) => [httpLink(options)],
  httpBatchLink: (options) => [httpBatchLink(options)],
  httpBatchStreamLink: (options) => [httpBatchStreamLink(options)],
  'a chain of links': (options) => [
    loggerLink({ enabled: () => false }),
    retryLink({ retry: () => false }),
    splitLink({
      condition: ({ type }) => type === 'mutation',
      true: httpLink(options),
      false: httpBatchStreamLink(options),
    }),
  ],
};

async function codeOf(call: Promise<unknown>): Promise<ErrorData['code'] | undefined> {
  const error = await call.then(
    () => expect.unreachable('it was answered'),
    (thrown: unknown) => thrown,
  );
  if (!isTRPCClientError<AppRouter>(error)) throw error;
  return error.data?.code;
}

describe.each(Object.entries(linksOf))('%s of tRPC’s own client', (_name, links) => {
  it.each([
    ['queries by GET', {}],
    ['everything by POST', { methodOverride: 'POST' as const }],
  ])('requests access, waits for the company and reads its data, with %s', async (_way, more) => {
    const { company, key } = await service.fixtures.portfolio();
    await importLines(service.operator, sampleData(company.id));
    const headers = { authorization: `Bearer ${key}` };
    const client = createTRPCClient<AppRouter>({
      links: links({ url: `${service.url}/trpc`, headers, ...more }),
    });
    const companyId = company.id;
    const asked = { companyId, key: 'cash_balance' };

    expect(await client.companies.list.query()).toMatchObject([{ id: companyId, access: 'none' }]);
    expect(await codeOf(client.metrics.latest.query({ companyId }))).toBe('access_required');
    const { outcome, accessRequest } = await client.accessRequests.create.mutate({
      companyId,
      scopes: ['metrics:read', 'sources:read', 'accounts:read'],
    });
    expect(outcome).toBe('created');
    expect(await codeOf(client.sources.list.query({ companyId }))).toBe('access_pending');
    await service.operator.approveAccessRequest({ id: accessRequest.id });

    const [metrics, cash, history, sources, accounts, none, unknown] = await Promise.all([
      client.metrics.latest.query({ companyId }),
      client.metrics.byKey.query(asked),
      client.metrics.history.query({ ...asked, from: '2026-09-01' }),
      client.sources.list.query({ companyId }),
      client.accounts.list.query({ companyId }),
      codeOf(client.metrics.byKey.query({ companyId, key: 'none' })),
      codeOf(client.companies.get.query({ companyId: 'co_none' })),
    ]);
    expect(metrics.map(({ key: name }) => name)).toEqual(['cash_balance', 'headcount']);
    expect(cash.rawValue).toBe('990000.25');
    expect(history.map(({ period }) => period)).toEqual(['2026-09-30', '2026-10-31']);
    expect(sources.map(({ provider }) => provider).sort()).toEqual(['gusto', 'mercury']);
    expect(accounts).toHaveLength(2);
    expect([none, unknown]).toEqual(['metric_not_found', 'company_not_found']);

    await service.operator.revokeAccessRequest({ id: accessRequest.id });
    expect(await codeOf(client.accounts.list.query({ companyId }))).toBe('access_revoked');
    const request = await client.accessRequests.get.query({ id: accessRequest.id });
    expect(request.status).toBe('revoked');
  });
});
