import { type Attack, crewOf, happened, isAtMost } from '../attack.ts';
import { batchOf } from '../documents.ts';
import { pointsOfKey } from '../parties.ts';

export const batchesOfOperations: Attack = {
  name: 'batches-of-operations',
  what: 'GraphQL batches of 10 operations that read no company data, 600 in 16 loops.',
  crews: ({ parties: [{ key }], atMost }) => [
    {
      name: 'batches',
      requests: [
        {
          method: 'POST',
          path: '/graphql',
          key,
          body: batchOf(10, () => '{viewer{investor{id}}}'),
        },
      ],
      connections: 16,
      // More operations than there are points in a smoke run too.
      maxRequests: Math.max(pointsOfKey / 10 + 10, atMost(600)),
      marker: '"investor":{"id"',
    },
  ],
  judge: (outcome) => [
    happened('operations carried out', crewOf(outcome, 'batches').marked),
    isAtMost(
      'operations carried out within the limit of the key',
      crewOf(outcome, 'batches').marked,
      pointsOfKey,
    ),
  ],
};
