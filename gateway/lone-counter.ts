import { LRUCache } from 'lru-cache';
import type { Spending } from '#core';

interface Window {
  readonly endsAt: number;
  points: number;
}

/** Of each kind; the one that was not used for longest is forgotten. */
const maxBuckets = 20_000;

/** Who has spent as many points in a window is kept apart from all who have spent less. */
const busyPoints = 50;

/**
 * Counts in this process, in windows that begin with the first call, and within bounds, although anybody can make up
 * credentials and each has a bucket: calls with credentials that are made up for one call push out only each other. To
 * have the count of a busy bucket forgotten as many others must spend as much within the window.
 */
export function createLoneCounter(windowSeconds: number) {
  const rare = new LRUCache<string, Window>({ max: maxBuckets });
  const busy = new LRUCache<string, Window>({ max: maxBuckets });

  return (bucket: string, points: number): Spending => {
    const now = Date.now();
    let window = busy.get(bucket) ?? rare.get(bucket);
    if (window === undefined || window.endsAt <= now) {
      busy.delete(bucket);
      window = { endsAt: now + windowSeconds * 1000, points: 0 };
    }
    window.points += points;
    if (window.points >= busyPoints) {
      rare.delete(bucket);
      busy.set(bucket, window);
    } else {
      rare.set(bucket, window);
    }
    return { points: window.points, millisecondsLeft: window.endsAt - now };
  };
}
