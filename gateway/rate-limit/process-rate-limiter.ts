import type { RateLimitPolicy } from '#core';
import { LocalCounter } from './local-counter.ts';
import type { RunningRateLimiter } from './running-rate-limiter.ts';

/** Counts in this process alone, without Redis. */
export function createProcessRateLimiter({
  points,
  windowSeconds,
}: RateLimitPolicy): RunningRateLimiter {
  const local = new LocalCounter(windowSeconds);
  return {
    policy: { points, windowSeconds },
    spend: async (bucket, points) => local.spend(bucket, points, points),
    health: () => 'process',
    settle: async () => undefined,
    close: () => undefined,
  };
}
