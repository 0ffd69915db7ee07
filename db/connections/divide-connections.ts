import type { PoolName } from './settings.ts';

/** The share of each pool in the connections of a process. */
const shares: Readonly<Record<PoolName, number>> = {
  scoped: 4,
  requests: 5,
  batches: 4,
  background: 3,
  long_work: 2,
};

/** One for each pool. */
const fewestConnections = Object.keys(shares).length;

const sum = (counts: Readonly<Record<PoolName, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/**
 * Each pool gets its share of the whole, rounded down, but at least one connection; `requests` gets what is left over.
 *
 * @throws RangeError when there is not one for each pool
 */
export function divideConnections(connections: number): Record<PoolName, number> {
  if (connections < fewestConnections) {
    throw new RangeError(`the database needs at least ${fewestConnections} connections`);
  }
  const divided = Object.fromEntries(
    Object.entries(shares).map(([pool, share]) => [
      pool,
      Math.max(1, Math.floor((connections * share) / sum(shares))),
    ]),
  ) as Record<PoolName, number>;
  return { ...divided, requests: divided.requests + connections - sum(divided) };
}
