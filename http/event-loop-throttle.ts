import { setImmediate as nextTurn } from 'node:timers/promises';

interface Waiting {
  readonly work: number;
  readonly begin: () => void;
}

/** The part of a turn that one key gets before the next key that waits. */
const share = 1 / 4;

/**
 * Bounds how much work is begun in one turn of the event loop, so that no caller waits long for a turn. Work beyond the
 * bound waits for a later turn. There the keys take turns, each with a share, so that no key waits for all the work of
 * another one.
 */
export class EventLoopThrottle {
  readonly #most: number;
  readonly #milliseconds: number;
  /** By key; the key that is served next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #left: number;
  #isTurnDue = false;

  /** @param milliseconds how long a turn lasts; 0: as long as one of the event loop */
  constructor(most: number, milliseconds = 0) {
    this.#most = most;
    this.#milliseconds = milliseconds;
    this.#left = most;
  }

  get most(): number {
    return this.#most;
  }

  /** Whether the work may begin at once. If not, nothing of the turn is spent. */
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
    if (this.#milliseconds > 0) setTimeout(() => this.#turn(), this.#milliseconds);
    else setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnDue = false;
    this.#left = this.#most;
    for (const [key, waiting] of this.#waiting) {
      if (this.#left <= 0) break;
      this.#serve(waiting);
      // A key that still waits goes to the end of the map, where this loop comes to it again.
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

/** How long work may keep the event loop before it must let others go on. */
const sliceMilliseconds = 8;

/** For long work in steps: `if (slice.isOver) await slice.next();` stands between them. */
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
