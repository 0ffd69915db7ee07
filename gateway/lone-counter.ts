import { LRUCache } from 'lru-cache';
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Of each kind; the one that was not used for longest is forgotten. */
const maxBuckets = 20_000;

/** As many calls make a bucket a busy one. */
const busyCalls = 10;

/**
 * Counts in this process, within bounds, although anybody can make up credentials and each has a bucket. What is called
 * again and again is kept apart, so that calls with made-up credentials, one each, push out only each other: to have its
 * count forgotten a busy caller has to make ten times as many calls as there are buckets.
 */
export function createLoneCounter(limiter: RateLimiterMemory) {
  const dispose = (_: number, bucket: string, reason: LRUCache.DisposeReason) => {
    if (reason === 'evict') void limiter.delete(bucket);
  };
  const rare = new LRUCache<string, number>({ max: maxBuckets, dispose });
  const busy = new LRUCache<string, number>({ max: maxBuckets, dispose });

  return (bucket: string, points: number): Promise<RateLimiterRes> => {
    const calls = busy.get(bucket) ?? (rare.get(bucket) ?? 0) + 1;
    if (calls < busyCalls) {
      rare.set(bucket, calls);
    } else {
      rare.delete(bucket);
      busy.set(bucket, calls);
    }
    return limiter.consume(bucket, points);
  };
}
