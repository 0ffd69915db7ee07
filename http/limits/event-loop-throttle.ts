interface Waiting {
  readonly work: number;
  readonly begin: () => void;
}

/** The part of a turn that one waiting caller gets before the next caller. */
const share = 1 / 4;

/**
 * Limits the long work in one turn of the event loop, so short requests aren't delayed. Further work waits for a later
 * turn. Waiting callers alternate.
 */
export class EventLoopThrottle {
  readonly #most: number;
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

  /** Returns false if the work must wait. The caller then calls `begin`. */
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
      // Moves a caller with more work to the end of the map, where this loop reaches it again.
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
