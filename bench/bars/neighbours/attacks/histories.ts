import { historyKey } from '../../../data/metrics.ts';
import { historyPath } from '../../../workloads.ts';
import { type Attack, crewOf, happened } from '../attack.ts';
import { aliases } from '../documents.ts';
import type { Party } from '../parties.ts';

/** The path of a tRPC batch of so many histories. */
function batchPath({ granted }: Party, first: number, count: number): string {
  const companies = Array.from(
    { length: count },
    (_, index) => granted[(first + index) % granted.length],
  );
  const input = Object.fromEntries(
    companies.map((companyId, index) => [index, { companyId, key: historyKey }]),
  );
  const names = companies.map(() => 'metrics.history').join(',');
  return `/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`;
}

export const historiesByTrpc: Attack = {
  name: 'trpc-histories',
  what: 'tRPC batches of 20 histories of ten years each, 30 batches in 8 loops.',
  asksForMuch: true,
  crews: ({ parties: [party], atMost }) => [
    {
      name: 'batches',
      requests: [0, 20, 40, 60].map((first) => ({
        method: 'GET',
        path: batchPath(party, first, 20),
        key: party.key,
      })),
      connections: 8,
      maxRequests: atMost(30),
    },
  ],
  judge: (outcome) => [
    happened('batches answered', crewOf(outcome, 'batches').statuses['200'] ?? 0),
  ],
};

export const historiesByAliases: Attack = {
  name: 'graphql-histories',
  what: 'GraphQL operations with 19 histories of ten years each, 600 in 8 loops.',
  asksForMuch: true,
  crews: ({ parties: [{ key, granted }], atMost }) => [
    {
      name: 'operations',
      requests: [0, 19].map((first) => ({
        method: 'POST',
        path: '/graphql',
        key,
        body: JSON.stringify({
          query: `{${aliases(
            19,
            (name, index) =>
              `${name}:company(id:"${granted[first + index]}"){metric(key:"${historyKey}"){...on Metric{history{period value rawValue asOf}}}}`,
          )}}`,
        }),
      })),
      connections: 8,
      maxRequests: atMost(600),
    },
  ],
  judge: (outcome) => [
    happened('operations answered', crewOf(outcome, 'operations').statuses['200'] ?? 0),
  ],
};

export const slowHistories: Attack = {
  name: 'slow-histories',
  what: 'Histories of ten years by 600 clients that read 64 bytes a second.',
  asksForMuch: true,
  crews: ({ parties: [{ key, granted }], atMost }) => [
    {
      name: 'clients',
      requests: granted.map((company) => ({ method: 'GET', path: historyPath(company), key })),
      connections: 600,
      maxRequests: atMost(600),
      isSlow: true,
    },
  ],
  judge: (outcome) => [happened('answers begun', crewOf(outcome, 'clients').statuses['200'] ?? 0)],
};

export const slowBatches: Attack = {
  name: 'slow-batches',
  what: 'tRPC batches of 20 histories by 30 clients that read 64 bytes a second.',
  asksForMuch: true,
  crews: ({ parties: [party], atMost }) => [
    {
      name: 'clients',
      requests: [{ method: 'GET', path: batchPath(party, 0, 20), key: party.key }],
      connections: 30,
      maxRequests: atMost(30),
      isSlow: true,
    },
  ],
  judge: (outcome) => [happened('answers begun', crewOf(outcome, 'clients').statuses['200'] ?? 0)],
};
