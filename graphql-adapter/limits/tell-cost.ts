import type { ExecutionResult } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { GraphqlBounds } from '../settings.ts';
import type { OperationCost } from './operation-cost.ts';

/** Whether a client has asked what its operation costs: `"extensions": { "cost": true }` beside its document. */
export const isCostWanted = ({ extensions }: GraphQLParams): boolean => extensions?.cost === true;

/** Adds what was estimated, what is allowed, and the points that it came to. */
export function tellCost(
  result: ExecutionResult,
  estimated: OperationCost,
  { points }: { readonly points: number },
  { maxCost, maxReads, maxMutations }: GraphqlBounds,
): ExecutionResult {
  const limit: OperationCost = { values: maxCost, reads: maxReads, mutations: maxMutations };
  return { ...result, extensions: { ...result.extensions, cost: { estimated, limit, points } } };
}
