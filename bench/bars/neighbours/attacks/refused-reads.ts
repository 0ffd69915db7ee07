import { type Attack, type Crew, happened, isAtMost, type World } from '../attack.ts';
import { aliases } from '../documents.ts';

/** 4,800 reads that are all refused: nobody has granted accounts, and each has another metric. */
export const refusedReads = ({ parties: [{ key }], atMost }: World, calls: number): Crew => ({
  name: 'operations',
  requests: Array.from({ length: 8 }, (_, call) => ({
    method: 'POST',
    path: '/graphql',
    key,
    body: JSON.stringify({
      query: `{companies(access:NONE){nodes{${aliases(32, (name, index) => `${name}:metric(key:"none_${call}_${index}"){__typename}`)}}}}`,
    }),
  })),
  connections: 4,
  maxRequests: atMost(calls),
});

export const manyRefusedReads: Attack = {
  name: 'refused-reads',
  what: 'GraphQL operations of 32 × 150 reads that are all refused, 40 in 4 loops.',
  crews: (world) => [refusedReads(world, 40)],
  judge: ({ rows, points, crews }) => [
    happened('operations sent', crews[0]?.sent ?? 0),
    isAtMost('access records left, for the points charged', rows.records, points),
  ],
};
