import { historyKey } from '../../../data/metrics.ts';
import { historyPath } from '../../../workloads.ts';
import { type Attack, answered, happened } from '../attack.ts';
import type { Party } from '../parties.ts';
import { aliases, get, graphql, times } from '../requests.ts';

function batchPath({ granted }: Party, first: number, count: number): string {
  const input = times(count, (index) => {
    const companyId = granted[(first + index) % granted.length];
    return [index, { companyId, key: historyKey }];
  });
  const names = Array(count).fill('metrics.history').join(',');
  return `/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(Object.fromEntries(input)))}`;
}

export const historiesByTrpc: Attack = {
  name: 'trpc-histories',
  what: 'tRPC batches of 20 histories of ten years each, 30 batches in 8 loops.',
  asksForMuch: true,
  crews: ({ parties: [party], atMost }) => [
    {
      name: 'batches',
      requests: [0, 20, 40, 60].map((first) => get(batchPath(party, first, 20), party.key)),
      connections: 8,
      maxRequests: atMost(30),
    },
  ],
  judge: (outcome) => [happened('batches answered', answered(outcome, 'batches', 200))],
};

export const historiesByAliases: Attack = {
  name: 'graphql-histories',
  what: 'GraphQL operations with 19 histories of ten years each, 600 in 8 loops.',
  asksForMuch: true,
  crews: ({ parties: [{ key, granted }], atMost }) => [
    {
      name: 'operations',
      requests: [0, 19].map((first) => {
        const history = (name: string, index: number) =>
          `${name}:company(id:"${granted[first + index]}"){metric(key:"${historyKey}"){...on Metric{history{period value rawValue asOf}}}}`;
        return graphql(`{${aliases(19, history)}}`, key);
      }),
      connections: 8,
      maxRequests: atMost(600),
    },
  ],
  judge: (outcome) => [happened('operations answered', answered(outcome, 'operations', 200))],
};

export const slowHistories: Attack = {
  name: 'slow-histories',
  what: 'Histories of ten years by 600 clients that read 64 bytes a second.',
  asksForMuch: true,
  crews: ({ parties: [{ key, granted }], atMost }) => [
    {
      name: 'clients',
      requests: granted.map((company) => get(historyPath(company), key)),
      connections: 600,
      maxRequests: atMost(600),
      isSlow: true,
    },
  ],
  judge: (outcome) => [happened('answers begun', answered(outcome, 'clients', 200))],
};

export const slowBatches: Attack = {
  name: 'slow-batches',
  what: 'tRPC batches of 20 histories by 30 clients that read 64 bytes a second.',
  asksForMuch: true,
  crews: ({ parties: [party], atMost }) => [
    {
      name: 'clients',
      requests: [get(batchPath(party, 0, 20), party.key)],
      connections: 30,
      maxRequests: atMost(30),
      isSlow: true,
    },
  ],
  judge: (outcome) => [happened('answers begun', answered(outcome, 'clients', 200))],
};
