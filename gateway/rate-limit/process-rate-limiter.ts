import type { RateLimiter, RateLimitPolicy } from '#core';
import { LocalCounter } from './local-counter.ts';

/** `process`: Redis isn't configured. `degraded`: Redis doesn't answer, and each process counts on its own. */
export type RateLimiterHealth = 'process' | 'shared' | 'degraded';

export interface RunningRateLimiter extends RateLimiter {
  health(): RateLimiterHealth;
  /** Resolves when Redis answers, or after two seconds, because the service may start without Redis. */
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
