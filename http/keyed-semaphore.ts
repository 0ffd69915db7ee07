interface Waiting {
  readonly weight: number;
  readonly enter: () => void;
}

/** Lets so much be done at a time, in the order in which it came. */
class Semaphore {
  readonly waiting: Waiting[] = [];
  readonly #permits: number;
  #free: number;
  #isGrantDue = false;

  constructor(permits: number) {
    this.#permits = permits;
    this.#free = permits;
  }

  get isIdle(): boolean {
    return this.#free === this.#permits && this.waiting.length === 0;
  }

  tryAcquire(weight: number): boolean {
    if (this.waiting.length > 0 || this.#free < weight) return false;
    this.#free -= weight;
    return true;
  }

  acquire(weight: number): Promise<void> {
    return new Promise((enter) => this.waiting.push({ weight, enter }));
  }

  release(weight: number): void {
    this.#free += weight;
    if (this.waiting.length === 0 || this.#isGrantDue) return;
    this.#isGrantDue = true;
    // Not in this turn of the event loop: work that waits for nothing would keep everybody else out of it.
    setImmediate(() => this.#grant());
  }

  #grant(): void {
    this.#isGrantDue = false;
    for (let next = this.waiting[0]; next && next.weight <= this.#free; next = this.waiting[0]) {
      this.waiting.shift();
      this.#free -= next.weight;
      next.enter();
    }
  }
}

/** A semaphore for each key, so that no key keeps the others waiting, however much it asks for. */
export class KeyedSemaphore {
  readonly #permits: number;
  readonly #semaphores = new Map<string, Semaphore>();

  constructor(permits: number) {
    this.#permits = permits;
  }

  /** How many wait for permits of this key. */
  waiting(key: string): number {
    return this.#semaphores.get(key)?.waiting.length ?? 0;
  }

  /** Whether the permits were free, and are taken now. What weighs more than all permits takes all of them. */
  tryAcquire(key: string, weight = 1): boolean {
    return this.#of(key).tryAcquire(this.#limit(weight));
  }

  /** Resolves when the permits are taken. */
  async acquire(key: string, weight = 1): Promise<void> {
    const semaphore = this.#of(key);
    if (!semaphore.tryAcquire(this.#limit(weight))) await semaphore.acquire(this.#limit(weight));
  }

  release(key: string, weight = 1): void {
    const semaphore = this.#of(key);
    semaphore.release(this.#limit(weight));
    if (semaphore.isIdle) this.#semaphores.delete(key);
  }

  async within<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.acquire(key);
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  #limit(weight: number): number {
    return Math.min(weight, this.#permits);
  }

  #of(key: string): Semaphore {
    return this.#semaphores.getOrInsertComputed(key, () => new Semaphore(this.#permits));
  }
}
