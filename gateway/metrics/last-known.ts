import { withinTime } from '../within-time.ts';

/** Shorter than the primary process's timeout for a worker. */
const patienceMilliseconds = 400;

/**
 * A value that is read at each scrape. If it is slow or unavailable, the scrape uses the last value, and the next
 * scrape
 * gets the late one.
 */
export class LastKnown<T> {
  readonly #ask: () => Promise<T>;
  #asking: Promise<void> | undefined;
  #last: T | null = null;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** Null before the first value. */
  async read(): Promise<T | null> {
    this.#asking ??= this.#ask()
      .then(
        (answer) => {
          this.#last = answer;
        },
        () => undefined,
      )
      .finally(() => {
        this.#asking = undefined;
      });
    await withinTime(this.#asking, patienceMilliseconds);
    return this.#last;
  }
}
