import { type Attack, type Crew, crewOf, happened, isAtMost, type World } from '../attack.ts';
import { pointsOfKey } from '../parties.ts';
import { aliases, graphql, times } from '../requests.ts';

/** Also in a smoke run. Two operations together read more than one HTTP request may read. */
const fewestOperations = 2;

const manyReads = ({ atMost, parties: [{ key }] }: World, count: number): Crew => {
  const selection = aliases(50, (name) => `${name}:metric(key:"arr"){__typename}`);
  const operations = Math.max(fewestOperations, atMost(10));
  return {
    name: 'batches',
    requests: [graphql(Array(operations).fill(`{companies{nodes{${selection}}}}`), key)],
    connections: count,
    maxRequests: count,
  };
};

export const oneGraphqlBatch: Attack = {
  name: 'graphql-batch',
  what: 'One GraphQL batch of 10 operations, each 50 times a metric of each of 200 companies.',
  crews: (world) => [manyReads(world, 1)],
};

export const manyGraphqlBatches: Attack = {
  name: 'graphql-batches',
  what: 'The same batch 150 times at once.',
  crews: (world) => [manyReads(world, world.atMost(150))],
};

export const batchesOfOperations: Attack = {
  name: 'batches-of-operations',
  what: 'GraphQL batches of 10 operations that read no company data, 600 in 16 loops.',
  crews: ({ parties: [{ key }], atMost }) => [
    {
      name: 'batches',
      requests: [graphql(Array(10).fill('{viewer{investor{id}}}'), key)],
      connections: 16,
      // Sends enough operations to use up all points of the key, even in a smoke run.
      maxRequests: Math.max(pointsOfKey / 10 + 10, atMost(600)),
      marker: '"investor":{"id"',
    },
  ],
  judge(outcome) {
    const { marked } = crewOf(outcome, 'batches');
    return [
      happened('operations carried out', marked),
      isAtMost('operations carried out within the limit of the key', marked, pointsOfKey),
    ];
  },
};

const operations = 10;
const perOperation = 50;

export const mutations: Attack = {
  name: 'mutations',
  what: 'GraphQL batches of 10 operations with 50 `requestAccess` each, every one with an Idempotency-Key of its own, 40 batches in 4 loops.',
  crews({ parties: [{ key, companies, granted }], atMost }) {
    const asked = companies.slice(granted.length);
    const calls = atMost(40);
    const requests = times(calls, (call) => {
      const batch = times(operations, (operation) => {
        const mutation = (name: string, index: number) => {
          const company = asked[(operation * perOperation + index) % asked.length];
          // Uses short idempotency keys, so that a body with 500 mutations stays below 64 KiB.
          return `${name}:requestAccess(input:{companyId:"${company}",scopes:METRICS_READ,idempotencyKey:"${call}-${operation}-${index}"}){outcome}`;
        };
        return `mutation{${aliases(perOperation, mutation)}}`;
      });
      return graphql(batch, key);
    });
    return [{ name: 'batches', requests, connections: 4, maxRequests: calls }];
  },
  judge: ({ rows, points, crews }) => [
    happened('calls sent', crews[0]?.sent ?? 0),
    isAtMost('mutations carried out, for the points charged', rows.mutations, points),
  ],
};
