/** Lets so many do something at a time, in the order in which they came. */
class Semaphore {
  #free: number;
  readonly waiting: (() => void)[] = [];
  readonly #permits: number;

  constructor(permits: number) {
    this.#permits = permits;
    this.#free = permits;
  }

  get isIdle(): boolean {
    return this.#free === this.#permits;
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((enter) => this.waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** A semaphore for each key, so that no key keeps the others waiting, however many requests it sends. */
export class KeyedSemaphore {
  readonly #permits: number;
  readonly #semaphores = new Map<string, Semaphore>();

  constructor(permits: number) {
    this.#permits = permits;
  }

  /** How many wait for a permit of this key. */
  waiting(keyId: string): number {
    return this.#semaphores.get(keyId)?.waiting.length ?? 0;
  }

  async within<T>(keyId: string, work: () => Promise<T>): Promise<T> {
    const semaphore = this.#semaphores.getOrInsertComputed(
      keyId,
      () => new Semaphore(this.#permits),
    );
    try {
      return await semaphore.within(work);
    } finally {
      // It may have been deleted, and made anew, since.
      if (semaphore.isIdle && this.#semaphores.get(keyId) === semaphore)
        this.#semaphores.delete(keyId);
    }
  }
}
