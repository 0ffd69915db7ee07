import { useWindowEvent } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { GraphQLClient } from 'graphql-request';
import { useEffect, useState } from 'react';
import { operations, type Page, type PortfolioCompany, type Scope } from './operations.ts';

/** If the key's rate limit is used up, waits as long as the service demands and sends the request again. */
const patientFetch: typeof fetch = async (input, init) => {
  for (;;) {
    const response = await fetch(input, init);
    if (response.status !== 429) return response;
    for (let left = Number(response.headers.get('retry-after')) || 5; left >= 0; left -= 1) {
      dispatchEvent(new CustomEvent('wait', { detail: left }));
      if (left > 0) await new Promise((done) => setTimeout(done, 1000));
    }
  }
};

const client = new GraphQLClient(`${location.origin}/graphql`, { fetch: patientFetch });

/** A year and a half ago. */
const from = new Date(Date.now() - 550 * 86_400_000).toISOString().slice(0, 10);

/** Follows the pages of the portfolio. */
async function readPortfolio(): Promise<PortfolioCompany[]> {
  const companies: PortfolioCompany[] = [];
  let after: string | null = null;
  do {
    const page: Page = await client.request(operations.Portfolio, { from, after });
    companies.push(...(page.companies?.nodes ?? []));
    const { hasNextPage, endCursor } = page.companies?.pageInfo ?? {};
    after = hasNextPage ? (endCursor ?? null) : null;
  } while (after !== null);
  return companies;
}

export const usePortfolio = () =>
  useQuery({
    queryKey: ['portfolio'],
    queryFn: readPortfolio,
  });

export const useCompany = (id: string) =>
  useQuery({
    queryKey: ['company', id],
    queryFn: () => client.request(operations.Company, { id, from }),
  });

/** The page reloads its data when the event of the access request arrives. An existing grant stays valid. */
export const useAsk = (companyId: string, grantId: string | null) =>
  useMutation({
    mutationFn: (wish: { scopes: Scope[]; purpose: string }): Promise<unknown> =>
      grantId === null
        ? client.request(operations.Ask, { input: { companyId, ...wish } })
        : client.request(operations.AskForMore, { input: { id: grantId, ...wish } }),
  });

const types = [
  ...'created approved declined revoked expired extended amended amendment_declined withdrawn narrowed paused resumed'
    .split(' ')
    .map((what) => `access_request.${what}`),
  ...['company_data.updated', 'source.failed', 'source.recovered', 'source.stale'],
];

/** Returns a text that describes the state of the connection. */
export function useLive(): string {
  const queries = useQueryClient();
  const [isLive, setLive] = useState(false);
  const [attempt, setAttempt] = useState(1);
  const [wait, setWait] = useState(0);
  useWindowEvent('wait', ({ detail }: CustomEvent<number>) => setWait(detail));
  useEffect(() => {
    const load = () => queries.invalidateQueries();
    const source = new EventSource('/events');
    source.onopen = () => setLive(true);
    source.onerror = () => {
      setLive(false);
      // A browser reconnects by itself after a lost connection, but not after an error response.
      if (source.readyState === EventSource.CLOSED) setTimeout(setAttempt, 5_000, attempt + 1);
    };
    for (const type of types) source.addEventListener(type, load);
    if (attempt > 1) void load();
    return () => source.close();
  }, [queries, attempt]);
  if (wait > 0) return `The budget of the key is used up: wait ${wait} s`;
  return isLive ? 'Live' : 'Connecting';
}
