/** What one call costs: a REST request, or each call of a batch. In points of the rate limit. */
export const callCost = 1;

/**
 * What one operation costs that may read many companies: a call, and as much again for each further company whose
 * gated data it read.
 */
export function operationCost(companiesRead: number): number {
  return callCost + Math.max(0, companiesRead - 1);
}
