import { setImmediate as endOfTurn, setTimeout as wait } from 'node:timers/promises';
import { type Cluster, Redis } from 'ioredis';

const callMilliseconds = 45;

/**
 * Limits the time of Redis calls. All calls of one event loop iteration are sent together, because a system call costs
 * more than a Redis call. These calls share one timer.
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
      return createTimeLimit(callMilliseconds);
    });
    // Keeps Node from reporting an unhandled rejection, because this promise also rejects when all calls were answered.
    limit.catch(() => undefined);
    return limit;
  }

  return (call) => {
    limitOfTurn ??= beginTurn();
    return Promise.race([call(), limitOfTurn]);
  };
}

/** If the timer is late by more than this time, the event loop was busy. */
const lateMilliseconds = 5;

/** All calls share this error, because creating a stack trace costs as much as a call. */
const timeIsOver = new Error('Redis does not answer in time');

/**
 * Rejects after the time limit. If the timer is late, the answer may have arrived but not been read yet. The time limit
 * then starts a second time after Node has read the sockets.
 */
async function createTimeLimit(milliseconds: number): Promise<never> {
  for (let tries = 1, isLate = true; isLate && tries <= 2; tries += 1) {
    const dueAt = performance.now() + milliseconds;
    await wait(milliseconds, undefined, { ref: false });
    isLate = performance.now() - dueAt > lateMilliseconds;
    // Waits until Node has read the sockets, which happens after the timers in an event loop iteration.
    await endOfTurn();
  }
  throw timeIsOver;
}

/** Rejects after the time limit. The work continues. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return Promise.race([work, createTimeLimit(milliseconds)]);
}
