/** Lets so many do something at a time, in the order in which they came. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  get areAllFree(): boolean {
    return this.#free === this.#count;
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Places of each key by itself, so that no key keeps all others waiting, however many requests it sends. */
export class PlacesOfKeys {
  readonly #count: number;
  readonly #places = new Map<string, Places>();

  constructor(count: number) {
    this.#count = count;
  }

  async within<T>(keyId: string, work: () => Promise<T>): Promise<T> {
    const places = this.#places.getOrInsertComputed(keyId, () => new Places(this.#count));
    try {
      return await places.within(work);
    } finally {
      // It may have been deleted, and made anew, since.
      if (places.areAllFree && this.#places.get(keyId) === places) this.#places.delete(keyId);
    }
  }
}
