import { type Cluster, Redis } from 'ioredis';
import { setFairTimeout } from './fair-timeout.ts';

/** What a caller may wait for Redis. */
const patienceMilliseconds = 45;

/** The calls of one turn of the event loop. */
class Turn {
  readonly #giveUps = new Set<(error: Error) => void>();
  #cancelTimeout: (() => void) | undefined;

  /** From when the calls are sent. */
  startTime(): void {
    if (this.#giveUps.size === 0) return;
    this.#cancelTimeout = setFairTimeout(() => {
      for (const giveUp of this.#giveUps) giveUp(new Error('Redis takes too long'));
    }, patienceMilliseconds);
  }

  inTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUps.add(reject);
      const done = () => {
        this.#giveUps.delete(reject);
        if (this.#giveUps.size === 0) this.#cancelTimeout?.();
      };
      answer.then(
        (value) => {
          done();
          resolve(value);
        },
        (error) => {
          done();
          reject(error);
        },
      );
    });
  }
}

/**
 * Makes calls of Redis that each answer or reject in time. What is asked in one turn of the event loop goes out in one
 * piece, because each by itself would cost a call of the operating system on either side, and has one time limit.
 */
export function createRedisCalls(redis: Redis | Cluster): <T>(ask: () => Promise<T>) => Promise<T> {
  let turn: Turn | null = null;

  function begin(): Turn {
    const begun = new Turn();
    const stream = redis instanceof Redis ? redis.stream : undefined;
    stream?.cork();
    setImmediate(() => {
      turn = null;
      stream?.uncork();
      begun.startTime();
    });
    return begun;
  }

  return (ask) => {
    turn ??= begin();
    return turn.inTime(ask());
  };
}
