import { setImmediate as nextTurn } from 'node:timers/promises';

interface Waiting {
  readonly work: number;
  readonly begin: () => void;
}

/**
 * How much work of all requests is begun in one turn of the event loop, so that callers of whatever else never wait
 * long for their own turn. What finds no room waits for one of the next turns.
 */
export class WorkPerTurn {
  readonly #most: number;
  readonly #waiting: Waiting[] = [];
  #left: number;
  #isTurnDue = false;

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  get most(): number {
    return this.#most;
  }

  /** Whether there was room for the work, and nobody waits for it. */
  beginNow(work: number): boolean {
    if (this.#left <= 0 || this.#waiting.length > 0) return false;
    this.#spend(work);
    return true;
  }

  async begin(work: number): Promise<void> {
    if (this.beginNow(work)) return;
    await new Promise<void>((begin) => this.#waiting.push({ work, begin }));
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
    let begun = 0;
    for (const { work, begin } of this.#waiting) {
      if (this.#left <= 0) break;
      begun += 1;
      this.#spend(work);
      begin();
    }
    this.#waiting.splice(0, begun);
  }
}

/** How long a piece of work keeps the event loop before it lets others go on. */
const sliceMilliseconds = 8;

/** For work that goes on step by step: `if (slice.isOver) await slice.next();` between its steps. */
export class TimeSlice {
  #began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#began > sliceMilliseconds;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}
