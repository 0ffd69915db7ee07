/** How long what is under way may take, at the pace at which requests end. */
const patienceMilliseconds = 250;

/** This much may always be under way: it is too little to make anybody wait. */
const always = 64;

/** More than that is tolerated up to this much, and for this long: a burst. */
const burst = 256;
const burstMilliseconds = 1_000;

/** For this long after a refusal no burst is tolerated. */
const calmMilliseconds = 1_000;

/** Every caller may have so much under way: eight calls, or two operations of GraphQL. */
const minShare = 8;

/**
 * Whether a request can be answered soon. When for a second more has been under way than can end in a quarter of one,
 * another request would only make all of them later: callers that have their share under way already are refused then,
 * and all others are served. Everything is counted by its weight, a call as 1.
 */
export class LoadShedder {
  readonly #now: () => number;
  readonly #underWay = new Map<string, number>();
  #all = 0;
  #ended = 0;
  #pace = 0;
  #countedSince = 0;
  /** Since when more is under way than there is room for. */
  #overSince: number | null = null;
  #calmAt = 0;

  /** @param now in milliseconds, of a clock that is never set */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  mayBegin(key: string): boolean {
    const now = this.#now();
    const room = this.#roomAt(now);
    if (this.#all < room) {
      this.#overSince = null;
      return true;
    }
    this.#overSince ??= now;
    const isBurst = now >= this.#calmAt && now - this.#overSince < burstMilliseconds;
    if (isBurst && this.#all < burst) return true;
    const share = Math.max(minShare, room / this.#underWay.size);
    if ((this.#underWay.get(key) ?? 0) < share) return true;
    this.#calmAt = now + calmMilliseconds;
    return false;
  }

  begin(key: string, weight: number): void {
    this.#all += weight;
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + weight);
  }

  /** @param isDone whether it was answered; a client that has left tells nothing of how quick the service is */
  end(key: string, weight: number, isDone: boolean): void {
    this.#all -= weight;
    if (isDone) this.#ended += weight;
    const left = (this.#underWay.get(key) ?? 0) - weight;
    if (left > 0) this.#underWay.set(key, left);
    else this.#underWay.delete(key);
  }

  /** As much as ended in the last whole slice of time, or has in this one so far. */
  #roomAt(now: number): number {
    const passed = now - this.#countedSince;
    if (passed >= patienceMilliseconds) {
      this.#pace = (this.#ended * patienceMilliseconds) / passed;
      this.#ended = 0;
      this.#countedSince = now;
    }
    return Math.max(always, this.#pace, this.#ended);
  }
}
