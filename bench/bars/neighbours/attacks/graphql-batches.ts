import type { Attack, Crew, World } from '../attack.ts';
import { aliases, batchOf } from '../documents.ts';

/** In a smoke run too it reads more often than one request may. */
const fewestOperations = 2;

const batch = ({ atMost }: World) =>
  batchOf(
    Math.max(fewestOperations, atMost(10)),
    () => `{companies{nodes{${aliases(50, (name) => `${name}:metric(key:"arr"){__typename}`)}}}}`,
  );

const crew = (world: World, count: number): Crew => ({
  name: 'batches',
  requests: [{ method: 'POST', path: '/graphql', key: world.parties[0].key, body: batch(world) }],
  connections: count,
  maxRequests: count,
});

export const oneGraphqlBatch: Attack = {
  name: 'graphql-batch',
  what: 'One GraphQL batch of 10 operations, each 50 times a metric of each of 200 companies.',
  crews: (world) => [crew(world, 1)],
};

export const manyGraphqlBatches: Attack = {
  name: 'graphql-batches',
  what: 'The same batch 150 times at once.',
  crews: (world) => [crew(world, world.atMost(150))],
};
