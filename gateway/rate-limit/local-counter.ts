import { LRUCache } from 'lru-cache';
import type { Spending } from '#core';

interface Window {
  readonly endsAt: number;
  points: number;
  /** Those of the points that Redis has not been told of. */
  unreported: number;
}

/** The most buckets of each kind; the one that was not used for longest is forgotten. */
const maxBuckets = 20_000;

/** A bucket with so many points in its window is kept apart from those with fewer. */
const busyPoints = 50;

/**
 * The points that this process knows to be spent. It counts by itself with them while Redis is away, and a Redis that has
 * lost its counts gives nobody a second budget. A window begins with its first call.
 *
 * Memory is bounded, although anybody can make up credentials and each of them gets a bucket: calls with made-up
 * credentials push out only each other, because a busy bucket is forgotten only for others as busy.
 */
export class LocalCounter {
  readonly #windowMilliseconds: number;
  readonly #quiet = new LRUCache<string, Window>({ max: maxBuckets });
  readonly #busy = new LRUCache<string, Window>({ max: maxBuckets });

  constructor(windowSeconds: number) {
    this.#windowMilliseconds = windowSeconds * 1000;
  }

  /**
   * Counts a call by itself.
   *
   * @param unreported of the points, those that Redis is to be told later. None of a call that it did not answer in
   *   time: it may well have counted that.
   */
  spend(bucket: string, points: number, unreported: number): Spending {
    const now = Date.now();
    const window = this.#find(bucket, now) ?? this.#open(now + this.#windowMilliseconds);
    window.points += points;
    window.unreported += unreported;
    this.#keep(bucket, window);
    return { points: window.points, millisecondsLeft: window.endsAt - now };
  }

  /** Takes the points of the window that Redis was not told of; from now on they count as told. Null: none. */
  takeUnreported(bucket: string): { points: number; secondsLeft: number } | null {
    const now = Date.now();
    const window = this.#find(bucket, now);
    if (window === undefined || window.unreported === 0) return null;
    const points = window.unreported;
    window.unreported = 0;
    return { points, secondsLeft: Math.ceil((window.endsAt - now) / 1000) };
  }

  /**
   * Counts a call that Redis has counted. The greater count holds: other processes spend points too, and a Redis that
   * was away may have lost some.
   */
  reconcile(bucket: string, points: number, shared: Spending, askedAt: number): Spending {
    const now = Date.now();
    const window = this.#find(bucket, now) ?? this.#open(askedAt + shared.millisecondsLeft);
    const own = window.points + points;
    window.points = Math.max(own, shared.points);
    this.#keep(bucket, window);
    return shared.points >= own ? shared : { points: own, millisecondsLeft: window.endsAt - now };
  }

  #open(endsAt: number): Window {
    return { endsAt, points: 0, unreported: 0 };
  }

  #find(bucket: string, now: number): Window | undefined {
    const window = this.#busy.get(bucket) ?? this.#quiet.get(bucket);
    if (window === undefined || window.endsAt > now) return window;
    this.#busy.delete(bucket);
    this.#quiet.delete(bucket);
    return undefined;
  }

  #keep(bucket: string, window: Window): void {
    const isBusy = window.points >= busyPoints;
    if (isBusy) this.#quiet.delete(bucket);
    (isBusy ? this.#busy : this.#quiet).set(bucket, window);
  }
}
