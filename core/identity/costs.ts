/** What one call costs: a REST request, or each call of a batch. In points of the rate limit. */
export const callCost = 1;

/**
 * What one operation costs that may read and write many times: a point for each read of gated data, allowed or
 * refused, and for each mutation, so that one point is at most one access record; and never less than a call.
 */
export function operationCost(gatedReadsAndMutations: number): number {
  return Math.max(callCost, gatedReadsAndMutations);
}
