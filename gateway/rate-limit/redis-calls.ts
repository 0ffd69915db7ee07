import { setImmediate as endOfTurn, setTimeout as wait } from 'node:timers/promises';
import { type Cluster, Redis } from 'ioredis';

/** The longest time that a caller waits for Redis. */
const callMilliseconds = 45;

/**
 * Runs Redis calls with a time limit. The calls of one turn of the event loop are sent together, because a system call
 * costs more than a Redis call, and they share one timer.
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
    // Rejects even after every call has been answered.
    limit.catch(() => undefined);
    return limit;
  }

  return (call) => {
    limitOfTurn ??= beginTurn();
    return Promise.race([call(), limitOfTurn]);
  };
}

/** A timer this late shows that the event loop was busy. */
const lateMilliseconds = 5;

/** Created once, because an error with its own stack costs as much as a call. */
const timeIsOver = new Error('Redis does not answer in time');

/**
 * Rejects after the time limit. After a late timer the answer may already wait in the socket, so sockets are read
 * first, and the time limit starts once more.
 */
async function timeLimit(milliseconds: number): Promise<never> {
  for (let tries = 1, isLate = true; isLate && tries <= 2; tries += 1) {
    const dueAt = performance.now() + milliseconds;
    await wait(milliseconds, undefined, { ref: false });
    isLate = performance.now() - dueAt > lateMilliseconds;
    // Node reads the sockets between timers and this point.
    await endOfTurn();
  }
  throw timeIsOver;
}

/** Rejects if the work takes longer. The work continues. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return Promise.race([work, timeLimit(milliseconds)]);
}
