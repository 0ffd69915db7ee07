interface LongWorkLimits {
  readonly turns: number;
  readonly perCaller: number;
  /** After this time, running work no longer counts towards `turns`, so that hanging work delays no caller. */
  readonly countedMilliseconds: number;
}

/** Ends a turn. If a pause is given, the turn ends after the pause. */
type Leave = (pauseMilliseconds?: number) => void;

interface Waiting {
  readonly since: number;
  readonly begin: (leave: Leave) => void;
}

/** A fair semaphore for long work: waiting callers take turns. */
export class LongWorkLimit {
  readonly #limits: LongWorkLimits;
  #free: number;
  #pausedUntil = 0;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(limits: LongWorkLimits) {
    this.#limits = limits;
    this.#free = limits.turns;
  }

  countWaiting(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
  }

  /** The longest wait of a caller. Ignores callers who already have the maximum number of running turns. */
  get longestWaitMilliseconds(): number {
    const now = performance.now();
    let longest = 0;
    for (const [caller, [first]] of this.#waiting)
      if (first && this.#isBelowLimit(caller)) longest = Math.max(longest, now - first.since);
    return longest;
  }

  async enter(caller: string): Promise<Leave> {
    const mayBegin = this.#free > 0 && !this.#waiting.has(caller) && this.#isBelowLimit(caller);
    if (mayBegin) return this.#begin(caller);
    return new Promise((begin) => {
      const waiting = { since: performance.now(), begin };
      this.#waiting.getOrInsertComputed(caller, () => []).push(waiting);
    });
  }

  async run<Made>(
    caller: string,
    work: () => Promise<Made>,
    pauseAfter: (made: Made) => number = () => 0,
  ): Promise<Made> {
    const leave = await this.enter(caller);
    let pause = 0;
    try {
      const made = await work();
      pause = pauseAfter(made);
      return made;
    } finally {
      leave(pause);
    }
  }

  #isBelowLimit(caller: string): boolean {
    return (this.#running.get(caller) ?? 0) < this.#limits.perCaller;
  }

  #begin(caller: string): Leave {
    const { countedMilliseconds } = this.#limits;
    this.#free -= 1;
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
    let isCounted = true;
    const stopCounting = () => {
      if (isCounted) this.#free += 1;
      isCounted = false;
      this.#grant();
    };
    const countAgain = () => {
      if (!isCounted) this.#free -= 1;
      isCounted = true;
    };
    const timer = setTimeout(stopCounting, countedMilliseconds).unref();
    const end = () => {
      const running = (this.#running.get(caller) ?? 0) - 1;
      if (running > 0) this.#running.set(caller, running);
      else this.#running.delete(caller);
      this.#moveBack(caller);
      stopCounting();
    };
    let hasLeft = false;
    return (pause = 0) => {
      if (hasLeft) return;
      hasLeft = true;
      clearTimeout(timer);
      if (pause < 1) {
        // Long work without I/O would otherwise block all other work in this iteration of the event loop.
        setImmediate(end);
        return;
      }
      countAgain();
      // Each pause starts when the previous pause is over.
      const now = performance.now();
      this.#pausedUntil = Math.max(now, this.#pausedUntil) + pause;
      setTimeout(end, this.#pausedUntil - now).unref();
    };
  }

  #moveBack(caller: string): void {
    const waiting = this.#waiting.get(caller);
    if (waiting === undefined) return;
    this.#waiting.delete(caller);
    this.#waiting.set(caller, waiting);
  }

  #grant(): void {
    for (const [caller, waiting] of this.#waiting) {
      if (this.#free <= 0) return;
      const next = this.#isBelowLimit(caller) ? waiting.shift() : undefined;
      if (next === undefined) continue;
      // If a caller has more work, moves the caller to the end of the map, which this loop reaches later.
      this.#waiting.delete(caller);
      if (waiting.length > 0) this.#waiting.set(caller, waiting);
      next.begin(this.#begin(caller));
    }
  }
}
