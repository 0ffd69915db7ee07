interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A semaphore for the whole process whose permits the keys take in turns, so that no key waits for all the work of
 * another one. Who has none of them waits for a bounded time and then begins beside the others: work that hangs, or is
 * long, keeps no other key out.
 */
export class FairSemaphore {
  readonly #patienceMilliseconds: number;
  /** Below zero where keys have begun beside the others. */
  #free: number;
  readonly #running = new Map<string, number>();
  /** By key, oldest first; the key that is served next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();

  /** @param patienceMilliseconds how long a key that has no permit waits at most */
  constructor(permits: number, patienceMilliseconds: number) {
    this.#free = permits;
    this.#patienceMilliseconds = patienceMilliseconds;
  }

  async within<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0 && this.#waiting.size === 0) this.#take(key);
    else await this.#wait(key);
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  #take(key: string): void {
    this.#free -= 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #wait(key: string): Promise<void> {
    return new Promise<void>((resolve) => {
      const begin = () => {
        this.#take(key);
        resolve();
      };
      const timer = setTimeout(() => {
        if (this.#running.has(key)) timer.refresh();
        else this.#beginOldest(key);
      }, this.#patienceMilliseconds);
      this.#waiting.getOrInsertComputed(key, () => []).push({ begin, timer });
    });
  }

  #beginOldest(key: string): void {
    const waiting = this.#waiting.get(key);
    const oldest = waiting?.shift();
    if (waiting === undefined || oldest === undefined) return;
    // A key that still waits goes to the end of the map.
    this.#waiting.delete(key);
    if (waiting.length > 0) this.#waiting.set(key, waiting);
    clearTimeout(oldest.timer);
    oldest.begin();
  }

  #release(key: string): void {
    this.#free += 1;
    const running = (this.#running.get(key) ?? 0) - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
    // In a turn of its own: work that waits for nothing would keep everything else out.
    if (this.#waiting.size > 0) setImmediate(() => this.#grant());
  }

  #grant(): void {
    while (this.#free > 0) {
      const [next] = this.#waiting.keys();
      if (next === undefined) return;
      this.#beginOldest(next);
    }
  }
}
