import { setImmediate as endOfTurn, setTimeout as wait } from 'node:timers/promises';

/** A timer that fires so much after its time shows that the event loop itself was busy. */
const lateMilliseconds = 5;

/** Made once: the limit of every turn rejects, and an error with its own stack costs as much as a call. */
const timeIsOver = new Error('Redis does not answer in time');

/**
 * Rejects when Redis has had its time. A timer that fires late because the event loop was busy proves nothing: the
 * answer may already wait in the socket. So the sockets are read first, and after a late timer the time is given once more.
 */
export async function timeLimit(milliseconds: number): Promise<never> {
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
