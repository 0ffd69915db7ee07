import { setImmediate as endOfTurn, setTimeout as wait } from 'node:timers/promises';
import { type Cluster, Redis } from 'ioredis';

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

/** A timer that fires so much after its time shows that the event loop itself was busy. */
const lateMilliseconds = 5;

/** Made once: the limit of every turn rejects, and an error with its own stack costs as much as a call. */
const timeIsOver = new Error('Redis does not answer in time');

/**
 * Rejects when Redis has had its time. A timer that fires late because the event loop was busy proves nothing: the
 * answer may already wait in the socket. So the sockets are read first, and after a late timer the time is given once more.
 */
async function timeLimit(milliseconds: number): Promise<never> {
  for (let tries = 1, isLate = true; isLate && tries <= 2; tries += 1) {
    const dueAt = performance.now() + milliseconds;
    await wait(milliseconds, undefined, { ref: false });
    isLate = performance.now() - dueAt > lateMilliseconds;
    // Node reads the sockets between the timers and this.
    await endOfTurn();
  }
  throw timeIsOver;
}

/** Rejects when the work takes longer; the work itself goes on. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return Promise.race([work, timeLimit(milliseconds)]);
}
