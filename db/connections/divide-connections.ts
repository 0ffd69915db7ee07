import type { PoolName } from './settings.ts';

const shares: Readonly<Record<PoolName, number>> = {
  scoped: 4,
  requests: 5,
  batches: 4,
  background: 3,
  long_work: 2,
};

const fewestConnections = Object.keys(shares).length;

const sum = (counts: Readonly<Record<PoolName, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/**
 * Divides a process's database connections among its pools. Each pool gets its share, and at least one connection. The
 * pool `requests` also gets the remaining connections.
 *
 * @throws RangeError if there are fewer connections than pools
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
