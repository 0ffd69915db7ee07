import type { Attack, Crew, Stage } from '../attack.ts';
import { aliases, batchOf } from '../documents.ts';

/** In a smoke run too it reads more often than one request may. */
const fewestOperations = 2;

const batch = ({ atMost }: Stage) =>
  batchOf(
    Math.max(fewestOperations, atMost(10)),
    () => `{companies{nodes{${aliases(50, (name) => `${name}:metric(key:"arr"){__typename}`)}}}}`,
  );

const crew = (stage: Stage, count: number): Crew => ({
  name: 'batches',
  requests: [{ method: 'POST', path: '/graphql', key: stage.parties[0].key, body: batch(stage) }],
  connections: count,
  maxRequests: count,
});

export const oneGraphqlBatch: Attack = {
  name: 'graphql-batch',
  what: 'One GraphQL batch of 10 operations, each 50 times a metric of each of 200 companies.',
  crews: (stage) => [crew(stage, 1)],
};

export const manyGraphqlBatches: Attack = {
  name: 'graphql-batches',
  what: 'The same batch 150 times at once.',
  crews: (stage) => [crew(stage, stage.atMost(150))],
};
