/** Work that no call waits for, but that must have ended before the database is closed. */
export class Background {
  readonly #onError: (error: unknown) => void;
  readonly #underWay = new Set<Promise<void>>();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(work: Promise<unknown>): void {
    const ended: Promise<void> = work
      .then(() => undefined, this.#onError)
      .finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
  }

  /** Resolves when nothing is under way any more. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
