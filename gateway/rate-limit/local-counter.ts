import { LRUCache } from 'lru-cache';
import type { Spending } from '#core';

interface Window {
  readonly endsAt: number;
  points: number;
  /** Of the points, those that Redis was never told. */
  unreported: number;
}

/** Points that Redis is still to be told, and how long the window that they belong to lasts. */
interface Untold {
  readonly points: number;
  readonly secondsLeft: number;
}

/** Of each kind; the one that was not used for longest is forgotten. */
const maxBuckets = 20_000;

/** Who has spent as many points in a window is kept apart from all who have spent less. */
const busyPoints = 50;

/**
 * What this process knows to be spent, so that it can count alone while Redis is away, and so that Redis forgetting
 * something gives nobody a second budget. Windows begin with the first call.
 *
 * It stays within bounds, although anybody can make up credentials and each has a bucket: calls with credentials that
 * are made up for one call push out only each other. To have the count of a busy bucket forgotten as many others must
 * spend as much within the window.
 */
export class LocalCounter {
  readonly #windowMilliseconds: number;
  readonly #rare = new LRUCache<string, Window>({ max: maxBuckets });
  readonly #busy = new LRUCache<string, Window>({ max: maxBuckets });

  constructor(windowSeconds: number) {
    this.#windowMilliseconds = windowSeconds * 1000;
  }

  /** Counts here what Redis is not asked about; it is told when it can be asked again. */
  spendAlone(bucket: string, points: number): Spending {
    return this.#spend(bucket, points, points);
  }

  /** Counts here what Redis was asked about and did not answer in time: it may well have counted it. */
  spendUnanswered(bucket: string, points: number): Spending {
    return this.#spend(bucket, points, 0);
  }

  /** What Redis was not told of the window that is under way, to be told now; null when there is nothing. */
  takeUntold(bucket: string): Untold | null {
    const now = Date.now();
    const window = this.#find(bucket, now);
    if (window === undefined || window.unreported === 0) return null;
    const points = window.unreported;
    window.unreported = 0;
    return { points, secondsLeft: Math.ceil((window.endsAt - now) / 1000) };
  }

  /**
   * Takes note of what Redis answered. The greater count holds: other processes spend points too, and a Redis that was
   * away may have forgotten some.
   *
   * @param points what the call spent
   * @param askedAt the window ends no sooner than this and what Redis says is left
   */
  learn(bucket: string, points: number, told: Spending, askedAt: number): Spending {
    const now = Date.now();
    const window = this.#find(bucket, now);
    if (window === undefined) {
      const endsAt = askedAt + told.millisecondsLeft;
      this.#keep(bucket, { endsAt, points: told.points, unreported: 0 });
      return told;
    }
    const own = window.points + points;
    this.#raise(bucket, window, Math.max(own, told.points));
    return told.points >= own ? told : { points: own, millisecondsLeft: window.endsAt - now };
  }

  #spend(bucket: string, points: number, unreported: number): Spending {
    const now = Date.now();
    const window = this.#find(bucket, now);
    if (window === undefined) {
      this.#keep(bucket, { endsAt: now + this.#windowMilliseconds, points, unreported });
      return { points, millisecondsLeft: this.#windowMilliseconds };
    }
    window.unreported += unreported;
    this.#raise(bucket, window, window.points + points);
    return { points: window.points, millisecondsLeft: window.endsAt - now };
  }

  #find(bucket: string, now: number): Window | undefined {
    const window = this.#busy.get(bucket) ?? this.#rare.get(bucket);
    if (window === undefined || window.endsAt > now) return window;
    this.#busy.delete(bucket);
    this.#rare.delete(bucket);
    return undefined;
  }

  #keep(bucket: string, window: Window): void {
    (window.points >= busyPoints ? this.#busy : this.#rare).set(bucket, window);
  }

  #raise(bucket: string, window: Window, points: number): void {
    const wasRare = window.points < busyPoints;
    window.points = points;
    if (wasRare && points >= busyPoints) {
      this.#rare.delete(bucket);
      this.#busy.set(bucket, window);
    }
  }
}
