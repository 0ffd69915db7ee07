interface Waiting {
  readonly work: number;
  readonly begin: () => void;
}

/** The part of a turn that one caller gets before the next caller that waits. */
const share = 1 / 4;

/**
 * Limits the work that begins in one turn of the event loop, so that a short request never waits long for a turn. Further
 * work waits for a later turn. Waiting callers take turns, each with a share.
 */
export class EventLoopThrottle {
  readonly #most: number;
  /** The caller that is served next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #left: number;
  #isTurnDue = false;

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  get most(): number {
    return this.#most;
  }

  /** Returns false, and counts nothing, if the work must wait for a later turn. */
  beginNow(work: number): boolean {
    if (this.#left <= 0 || this.#waiting.size > 0) return false;
    this.#spend(work);
    return true;
  }

  async begin(work: number, caller = ''): Promise<void> {
    if (this.beginNow(work)) return;
    const waiting = this.#waiting.getOrInsertComputed(caller, () => []);
    await new Promise<void>((begin) => waiting.push({ work, begin }));
  }

  #spend(work: number): void {
    this.#left -= work;
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnDue = false;
    this.#left = this.#most;
    for (const [caller, waiting] of this.#waiting) {
      if (this.#left <= 0) break;
      this.#serve(waiting);
      // A caller that still waits goes to the end of the map, where this loop reaches it again.
      this.#waiting.delete(caller);
      if (waiting.length > 0) this.#waiting.set(caller, waiting);
    }
  }

  #serve(waiting: Waiting[]): void {
    const end = Math.max(0, this.#left - this.#most * share);
    while (this.#left > end) {
      const next = waiting.shift();
      if (next === undefined) return;
      this.#spend(next.work);
      next.begin();
    }
  }
}
