import { type Attack, happened, isAtMost } from '../attack.ts';
import { aliases, batchOf } from '../documents.ts';

const operations = 10;
const perOperation = 50;
/** Short, so that 500 mutations stay below 64 KiB. */
const idempotencyKey = (call: number, operation: number, index: number) =>
  `${call}-${operation}-${index}`;

export const mutations: Attack = {
  name: 'mutations',
  what: 'GraphQL batches of 10 operations with 50 `requestAccess` each, every one with an Idempotency-Key of its own, 40 batches in 4 loops.',
  crews({ parties: [{ key, companies, granted }], atMost }) {
    const asked = companies.slice(granted.length);
    const calls = atMost(40);
    const requests = Array.from({ length: calls }, (_, call) => {
      const body = batchOf(operations, (operation) => {
        const mutation = (name: string, index: number) => {
          const company = asked[(operation * perOperation + index) % asked.length];
          return `${name}:requestAccess(input:{companyId:"${company}",scopes:METRICS_READ,idempotencyKey:"${idempotencyKey(call, operation, index)}"}){outcome}`;
        };
        return `mutation{${aliases(perOperation, mutation)}}`;
      });
      return { method: 'POST', path: '/graphql', key, body } as const;
    });
    return [{ name: 'batches', requests, connections: 4, maxRequests: calls }];
  },
  judge: ({ rows, points, crews }) => [
    happened('calls sent', crews[0]?.sent ?? 0),
    isAtMost('mutations carried out, for the points charged', rows.mutations, points),
  ],
};
