import { withinTime } from '../within-time.ts';

/** Shorter than the primary process's timeout for a worker. */
const patienceMilliseconds = 400;

/**
 * A value that is read at each scrape. If it is slow or unavailable, the scrape uses the last value, and the next
 * scrape gets the late one.
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
    await withinTime(this.#running, patienceMilliseconds);
    return this.#last;
  }
}
