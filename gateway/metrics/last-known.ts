import { withinTime } from '../within-time.ts';

/** Less than the primary process waits for the metrics of a worker. */
const patienceMilliseconds = 400;

/**
 * Something that is asked for at each reading of the metrics. What is slow or away must not keep the other metrics from
 * being read: then the last answer counts, and the next reading finds the one that comes late.
 */
export class LastKnown<T> {
  readonly #ask: () => Promise<T>;
  #asking: Promise<void> | undefined;
  #last: T | null = null;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** Null while nothing was ever answered. */
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
