import type { Spending } from '#core';

interface Window {
  readonly endsAt: number;
  points: number;
}

const maxBuckets = 200_000;

/**
 * Counts the points that callers spend in this process. While Redis doesn't answer, the process continues with these
 * counts. So a caller can't use the rate limit a second time during an outage.
 */
export class LocalCounter {
  readonly #windowMilliseconds: number;
  /** Sorted by the start of the window, so the oldest windows come first. */
  readonly #windows = new Map<string, Window>();

  constructor(windowSeconds: number) {
    this.#windowMilliseconds = windowSeconds * 1000;
  }

  spend(bucket: string, points: number): Spending {
    const now = Date.now();
    const window = this.#find(bucket, now) ?? this.#open(bucket, now + this.#windowMilliseconds);
    window.points += points;
    return { points: window.points, millisecondsLeft: window.endsAt - now };
  }

  /**
   * Counts points that Redis has also counted. Returns the larger of the two counts. The count in Redis may be larger,
   * because other processes spend points, too. The count of this process may be larger, because Redis can lose counts.
   */
  reconcile(bucket: string, points: number, shared: Spending, sentAt: number): Spending {
    const now = Date.now();
    const window = this.#find(bucket, now) ?? this.#open(bucket, sentAt + shared.millisecondsLeft);
    const own = window.points + points;
    window.points = Math.max(own, shared.points);
    return shared.points >= own ? shared : { points: own, millisecondsLeft: window.endsAt - now };
  }

  #find(bucket: string, now: number): Window | undefined {
    const window = this.#windows.get(bucket);
    if (window === undefined || window.endsAt > now) return window;
    this.#windows.delete(bucket);
    return undefined;
  }

  #open(bucket: string, endsAt: number): Window {
    const window = { endsAt, points: 0 };
    this.#forgetEnded();
    this.#windows.set(bucket, window);
    return window;
  }

  #forgetEnded(): void {
    const now = Date.now();
    for (const [bucket, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size < maxBuckets) return;
      this.#windows.delete(bucket);
    }
  }
}
