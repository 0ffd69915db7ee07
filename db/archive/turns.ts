import { withinTime } from '../within-time.ts';

export const mostWaiting = 50;

/**
 * Lets so many pieces of work run at a time, and whoever waits no longer than so long. Work that takes too long keeps
 * its turn until it ends: a disk that hangs may hold the threads of so many, and no more. When too many wait already,
 * the next one is refused at once.
 */
export class Turns {
  readonly #milliseconds: number | null;
  #free: number;
  /** Each is given the turn of one that has ended. */
  readonly #waiting: (() => void)[] = [];

  /** @param milliseconds null: whoever asks would rather wait than go without */
  constructor(count: number, milliseconds: number | null) {
    this.#free = count;
    this.#milliseconds = milliseconds;
  }

  /** @throws Error when it takes too long; the signal is aborted then */
  async take<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abandoned = new AbortController();
    const working = this.#inTurn(() => work(abandoned.signal), abandoned.signal);
    if (this.#milliseconds === null) return working;
    const done = await withinTime(
      working.then((value) => ({ value })),
      this.#milliseconds,
    );
    if (done !== undefined) return done.value;
    abandoned.abort();
    throw new Error(`the archive has not answered within ${this.#milliseconds} ms`);
  }

  async #inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
    if (this.#waiting.length >= mostWaiting) {
      throw new Error(`${mostWaiting} lists wait for the archive already`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    signal.addEventListener('abort', () => {
      const place = this.#waiting.indexOf(resolve);
      if (place !== -1) this.#waiting.splice(place, 1);
      reject(signal.reason);
    });
    return promise;
  }
}
