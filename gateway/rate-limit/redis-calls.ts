import { setImmediate as endOfTurn } from 'node:timers/promises';
import { type Cluster, Redis } from 'ioredis';
import { timeLimit } from './time-limit.ts';

/** What a caller may wait for Redis. */
const callMilliseconds = 45;

/**
 * Runs calls of Redis, each of which answers or rejects in time. The calls of one turn of the event loop leave in one
 * piece, because a system call for each costs more than the call itself, and they share one timer, from when they leave.
 */
export function createRedisCalls(
  redis: Redis | Cluster,
): <T>(call: () => Promise<T>) => Promise<T> {
  let limitOfTurn: Promise<never> | null = null;

  function beginTurn(): Promise<never> {
    const stream = redis instanceof Redis ? redis.stream : undefined;
    stream?.cork();
    const limit = endOfTurn().then(() => {
      limitOfTurn = null;
      stream?.uncork();
      return timeLimit(callMilliseconds);
    });
    // It rejects also when every call has been answered.
    limit.catch(() => undefined);
    return limit;
  }

  return (call) => {
    limitOfTurn ??= beginTurn();
    return Promise.race([call(), limitOfTurn]);
  };
}
