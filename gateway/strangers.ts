import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { strangerPrefix } from '#core';

const maxStrangers = 20_000;

/**
 * Anybody can make up credentials, and each gets a bucket for a window. Beyond a number of them in this process's
 * memory, further ones share a bucket.
 */
export function boundStrangers(limiter: RateLimiterMemory, windowSeconds: number) {
  let strangers = 0;
  let windowEndsAt = 0;
  return async (bucket: string, points: number): Promise<RateLimiterRes> => {
    if (!bucket.startsWith(strangerPrefix)) return limiter.consume(bucket, points);
    if (Date.now() >= windowEndsAt) {
      strangers = 0;
      windowEndsAt = Date.now() + windowSeconds * 1000;
    }
    const isNew = (await limiter.get(bucket)) === null;
    if (isNew && strangers >= maxStrangers) return limiter.consume(strangerPrefix, points);
    if (isNew) strangers += 1;
    return limiter.consume(bucket, points);
  };
}
