import { setImmediate as nextTurn } from 'node:timers/promises';

interface Waiting {
  readonly work: number;
  readonly begin: () => void;
}

/** The part of a turn that one key gets before the next one that waits. */
const share = 1 / 4;

/**
 * How much work of all requests is begun in one turn of the event loop, so that callers of whatever else never wait
 * long for their own turn. What finds no room waits for one of the next turns, in which the keys that wait are served
 * one after the other, a share of a turn each, so that none waits for all that another one asks for.
 */
export class WorkPerTurn {
  readonly #most: number;
  /** By key, the next one first. */
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

  /** Whether there was room for the work, and nobody waits for it. */
  beginNow(work: number): boolean {
    if (this.#left <= 0 || this.#waiting.size > 0) return false;
    this.#spend(work);
    return true;
  }

  async begin(work: number, key = ''): Promise<void> {
    if (this.beginNow(work)) return;
    const waiting = this.#waiting.getOrInsertComputed(key, () => []);
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
    for (const [key, waiting] of this.#waiting) {
      if (this.#left <= 0) break;
      this.#serve(waiting);
      // A key that still waits goes to the end, where this loop meets it again.
      this.#waiting.delete(key);
      if (waiting.length > 0) this.#waiting.set(key, waiting);
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
