import { withinTime } from '../within-time.ts';

export const maxWaiting = 50;

/**
 * Runs a limited number of pieces of work at a time. A caller that has waited too long, for a permit or for its work, is
 * refused. Work that takes too long keeps its permit until it ends, so a disk that hangs can hold only that many
 * threads. When too many wait already, the next one is refused at once.
 */
export class TimedSemaphore {
  readonly #milliseconds: number | null;
  #free: number;
  /** Each is given the permit of one that has ended. */
  readonly #waiting: (() => void)[] = [];

  /** @param milliseconds how long a caller waits; null: without limit */
  constructor(count: number, milliseconds: number | null) {
    this.#free = count;
    this.#milliseconds = milliseconds;
  }

  /** @throws Error when it takes too long; the signal is aborted then */
  async take<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abandoned = new AbortController();
    const working = this.#withPermit(() => work(abandoned.signal), abandoned.signal);
    if (this.#milliseconds === null) return working;
    const done = await withinTime(
      working.then((value) => ({ value })),
      this.#milliseconds,
    );
    if (done !== undefined) return done.value;
    abandoned.abort();
    throw new Error(`the archive has not answered within ${this.#milliseconds} ms`);
  }

  async #withPermit<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free === 0) await this.#wait(signal);
    else this.#free -= 1;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= maxWaiting) {
      throw new Error(`${maxWaiting} lists wait for the archive already`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    signal.addEventListener('abort', () => {
      const index = this.#waiting.indexOf(resolve);
      if (index !== -1) this.#waiting.splice(index, 1);
      reject(signal.reason);
    });
    return promise;
  }
}
