interface Waiting {
  readonly work: number;
  readonly begin: () => void;
}

/** A waiting caller gets this share of an iteration's long work. Then it is the next caller's turn. */
const callerShare = 1 / 4;

/**
 * Limits the long work in one iteration of the event loop, so that short requests aren't delayed. Work above the limit
 * waits for a later iteration. Waiting callers take turns.
 */
export class EventLoopThrottle {
  readonly #limitPerTurn: number;
  readonly #waiting = new Map<string, Waiting[]>();
  #remaining: number;
  #isTurnDue = false;

  constructor(limitPerTurn: number) {
    this.#limitPerTurn = limitPerTurn;
    this.#remaining = limitPerTurn;
  }

  get limitPerTurn(): number {
    return this.#limitPerTurn;
  }

  /** Returns true if the work may begin in this iteration. Otherwise it must wait for `begin`. */
  beginNow(work: number): boolean {
    if (this.#remaining <= 0 || this.#waiting.size > 0) return false;
    this.#spend(work);
    return true;
  }

  async begin(work: number, caller = ''): Promise<void> {
    if (this.beginNow(work)) return;
    const waiting = this.#waiting.getOrInsertComputed(caller, () => []);
    await new Promise<void>((begin) => waiting.push({ work, begin }));
  }

  #spend(work: number): void {
    this.#remaining -= work;
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnDue = false;
    this.#remaining = this.#limitPerTurn;
    for (const [caller, waiting] of this.#waiting) {
      if (this.#remaining <= 0) break;
      this.#serve(waiting);
      // If a caller has more work, moves the caller to the end of the map, which this loop reaches later.
      this.#waiting.delete(caller);
      if (waiting.length > 0) this.#waiting.set(caller, waiting);
    }
  }

  #serve(waiting: Waiting[]): void {
    const end = Math.max(0, this.#remaining - this.#limitPerTurn * callerShare);
    while (this.#remaining > end) {
      const next = waiting.shift();
      if (next === undefined) return;
      this.#spend(next.work);
      next.begin();
    }
  }
}
