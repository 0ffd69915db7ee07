import type { RateLimiter, RateLimitPolicy } from '#core';
import { LocalCounter } from './local-counter.ts';

/** `process`: no Redis is configured. `degraded`: Redis is away, and this process counts on its own. */
export type RateLimiterHealth = 'process' | 'shared' | 'degraded';

export interface RunningRateLimiter extends RateLimiter {
  health(): RateLimiterHealth;
  /** Resolves when Redis answers, or after two seconds, because a service may start without it. */
  settle(): Promise<void>;
  close(): void;
}

/** Counts in this process only. */
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
