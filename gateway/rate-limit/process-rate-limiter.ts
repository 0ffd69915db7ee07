import type { RateLimiter, RateLimitPolicy } from '#core';
import { LocalCounter } from './local-counter.ts';

/** `process`: no Redis is configured; `degraded`: it is, but this process counts by itself for the time being. */
export type RateLimiterHealth = 'process' | 'shared' | 'degraded';

export interface RunningRateLimiter extends RateLimiter {
  health(): RateLimiterHealth;
  /** Resolves when Redis can be asked, or after two seconds: a service may start without it. */
  settle(): Promise<void>;
  close(): void;
}

/** Counts in this process alone, without Redis. */
export function createProcessRateLimiter({
  points,
  windowSeconds,
}: RateLimitPolicy): RunningRateLimiter {
  const local = new LocalCounter(windowSeconds);
  return {
    policy: { points, windowSeconds },
    spend: async (bucket, points) => local.spend(bucket, points),
    health: () => 'process',
    settle: async () => undefined,
    close: () => undefined,
  };
}
