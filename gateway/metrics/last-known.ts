import { withinTime } from '../within-time.ts';

/** Must be shorter than the timeout of the primary process for a worker. */
const waitMilliseconds = 400;

/**
 * Reads a value at each scrape. If the value is late, the scrape returns the last one, and the next scrape returns the
 * late one.
 */
export class LastKnown<T> {
  readonly #read: () => Promise<T>;
  #running: Promise<void> | undefined;
  #last: T | null = null;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  /** Null before the first value. */
  async read(): Promise<T | null> {
    this.#running ??= this.#read()
      .then(
        (answer) => {
          this.#last = answer;
        },
        () => undefined,
      )
      .finally(() => {
        this.#running = undefined;
      });
    await withinTime(this.#running, waitMilliseconds);
    return this.#last;
  }
}
