import type { RateLimiter, RateLimitPolicy } from '#core';
import { LocalCounter } from './local-counter.ts';

/** `process`: without Redis. `shared`: counts in Redis. `degraded`: Redis doesn't answer, so each process counts. */
export type RateLimiterHealth = 'process' | 'shared' | 'degraded';

export interface RunningRateLimiter extends RateLimiter {
  health(): RateLimiterHealth;
  /** Resolves when Redis answers. Also resolves after two seconds, because the service may start without Redis. */
  settle(): Promise<void>;
  close(): void;
}

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
