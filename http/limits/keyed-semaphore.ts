interface Waiting {
  readonly weight: number;
  readonly resolve: () => void;
}

interface Permits {
  free: number;
  readonly waiting: Waiting[];
}

/**
 * A semaphore for each key. Unlike p-limit, it supports weights. p-limit also starts waiting work in the same iteration
 * of the event loop, so work without I/O would block all other keys.
 */
export class KeyedSemaphore {
  readonly #permits: number;
  readonly #byKey = new Map<string, Permits>();

  constructor(permits: number) {
    this.#permits = permits;
  }

  countInUse(key: string): number {
    const free = this.#byKey.get(key)?.free ?? this.#permits;
    return this.#permits - free;
  }

  countWaiting(key: string): number {
    return this.#byKey.get(key)?.waiting.length ?? 0;
  }

  /** Resolves when the permits are taken. A weight above the limit is reduced to the limit. */
  async acquire(key: string, weight = 1): Promise<void> {
    const permits = this.#byKey.getOrInsertComputed(key, () => ({
      free: this.#permits,
      waiting: [],
    }));
    const taken = Math.min(weight, this.#permits);
    if (permits.waiting.length === 0 && permits.free >= taken) permits.free -= taken;
    else await new Promise<void>((resolve) => permits.waiting.push({ weight: taken, resolve }));
  }

  release(key: string, weight = 1): void {
    const permits = this.#byKey.get(key);
    if (permits === undefined) return;
    permits.free += Math.min(weight, this.#permits);
    if (permits.waiting.length > 0) setImmediate(grant, permits);
    else if (permits.free === this.#permits) this.#byKey.delete(key);
  }
}

function grant(permits: Permits): void {
  const { waiting } = permits;
  for (let next = waiting[0]; next && next.weight <= permits.free; next = waiting[0]) {
    waiting.shift();
    permits.free -= next.weight;
    next.resolve();
  }
}
