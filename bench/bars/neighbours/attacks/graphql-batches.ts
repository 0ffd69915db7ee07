import type { Attack, Crew, Stage } from '../attack.ts';
import { aliases, batchOf } from '../documents.ts';

const batch = batchOf(
  10,
  () => `{${aliases(50, (name) => `${name}:companies{metrics{__typename}}`)}}`,
);

const crew = ({ parties }: Stage, count: number): Crew => ({
  name: 'batches',
  requests: [{ method: 'POST', path: '/graphql', key: parties[0].key, body: batch }],
  connections: count,
  maxRequests: count,
});

export const oneGraphqlBatch: Attack = {
  name: 'graphql-batch',
  what: 'One GraphQL batch of 10 operations, each 50 times the metrics of a portfolio of 200 companies.',
  crews: (stage) => [crew(stage, 1)],
};

export const manyGraphqlBatches: Attack = {
  name: 'graphql-batches',
  what: 'The same batch 150 times at once.',
  crews: (stage) => [crew(stage, stage.atMost(150))],
};
