import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { createTRPCClient, httpBatchStreamLink } from '@trpc/client';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { expect, it } from 'vitest';
import type { AppRouter } from '../../client/index.ts';
import { closedAfterAll } from '../support/closed.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));

it('TanStack Query requests access, reads the data, and gets the code of each refusal', async () => {
  const { company, key } = await service.fixtures.portfolio();
  await importLines(service.operator, sampleData(company.id));
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const client = createTRPCClient<AppRouter>({
    links: [
      httpBatchStreamLink({
        url: `${service.url}/trpc`,
        headers: { authorization: `Bearer ${key}` },
      }),
    ],
  });
  const trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient });
  const companyId = company.id;

  const [first] = await queryClient.fetchQuery(trpc.companies.list.queryOptions());
  expect(first).toMatchObject({ id: companyId, access: 'none' });

  // The query that a component with metrics would show.
  const metrics = new QueryObserver(queryClient, trpc.metrics.latest.queryOptions({ companyId }));
  const unsubscribe = metrics.subscribe(() => undefined);
  const shown = () => {
    const { data, error } = metrics.getCurrentResult();
    return error?.data?.code ?? data?.map((metric) => metric.key);
  };
  await expect.poll(() => shown() === 'access_required').toBe(true);

  const asking = new MutationObserver(queryClient, trpc.accessRequests.create.mutationOptions());
  const { accessRequest } = await asking.mutate({
    companyId,
    scopes: ['metrics:read', 'sources:read', 'accounts:read'],
  });
  const refresh = () => queryClient.invalidateQueries(trpc.metrics.pathFilter());
  await refresh();
  expect(shown()).toBe('access_pending');

  await service.operator.approveAccessRequest({ id: accessRequest.id });
  await refresh();
  expect(shown()).toEqual(['cash_balance', 'headcount']);
  const [history, sources, accounts] = await Promise.all([
    queryClient.fetchQuery(
      trpc.metrics.history.queryOptions({ companyId, key: 'cash_balance', from: '2026-09-01' }),
    ),
    queryClient.fetchQuery(trpc.sources.list.queryOptions({ companyId })),
    queryClient.fetchQuery(trpc.accounts.list.queryOptions({ companyId })),
  ]);
  expect(history.map(({ period }) => period)).toEqual(['2026-09-30', '2026-10-31']);
  expect([sources.length, accounts.length]).toEqual([2, 2]);

  const { pages } = await queryClient.fetchInfiniteQuery(
    trpc.accessRequests.list.infiniteQueryOptions(
      { limit: 1 },
      { getNextPageParam: ({ nextCursor }) => nextCursor },
    ),
  );
  expect(pages.flatMap(({ items }) => items)).toMatchObject([{ id: accessRequest.id }]);

  await service.operator.revokeAccessRequest({ id: accessRequest.id });
  await refresh();
  expect(shown()).toBe('access_revoked');
  unsubscribe();
  queryClient.clear();
});
