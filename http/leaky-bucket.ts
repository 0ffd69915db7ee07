/** Less than a timer can tell. */
const negligible = 1;

/**
 * Heavy work of many callers, one piece after the other with a rest after each, so that all of it takes no more than its
 * share of the event loop. Nobody waits long for work that is itself waiting: a piece that takes longer than the patience
 * is no longer waited for.
 */
export class LeakyBucket {
  readonly #patience: number;
  readonly #waiting: ((patientUntil: number) => void)[] = [];
  #emptyAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param patience in milliseconds */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** @param restAfter how many milliseconds of rest what was made has cost */
  async within<Made>(work: () => Promise<Made>, restAfter: (made: Made) => number): Promise<Made> {
    const patientUntil = await this.#begin();
    let rest = 0;
    try {
      const made = await work();
      rest = restAfter(made);
      return made;
    } finally {
      const unused = Math.max(0, patientUntil - performance.now());
      this.#emptyAt += rest - unused;
      this.#serve();
    }
  }

  async #begin(): Promise<number> {
    if (this.#waiting.length === 0 && this.#isEmpty()) return this.#fill();
    return new Promise((begin) => {
      this.#waiting.push(begin);
      this.#serve();
    });
  }

  #serve(): void {
    clearTimeout(this.#timer);
    if (this.#isEmpty()) this.#waiting.shift()?.(this.#fill());
    if (this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => this.#serve(), Math.ceil(this.#emptyAt - performance.now()));
  }

  #isEmpty(): boolean {
    return this.#emptyAt - performance.now() < negligible;
  }

  #fill(): number {
    this.#emptyAt = performance.now() + this.#patience;
    return this.#emptyAt;
  }
}
