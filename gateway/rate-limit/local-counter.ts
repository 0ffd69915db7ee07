import type { Spending } from '#core';

interface Window {
  readonly endsAt: number;
  points: number;
}

const maxBuckets = 200_000;

/**
 * Counts the points that this process has seen. While Redis doesn't answer, the process continues from these counts, so
 * an outage gives no caller a second budget.
 */
export class LocalCounter {
  readonly #windowMilliseconds: number;
  /** In order of opening, so the oldest windows come first. */
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
   * Counts a call that Redis has counted. The larger count is used: other processes spend points too, and Redis can
   * lose counts.
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
