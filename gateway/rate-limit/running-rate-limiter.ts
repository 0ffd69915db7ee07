import type { RateLimiter } from '#core';

/** `process`: no Redis is configured; `degraded`: it is, but this process counts by itself for the time being. */
export type RateLimiterHealth = 'process' | 'shared' | 'degraded';

export interface RunningRateLimiter extends RateLimiter {
  health(): RateLimiterHealth;
  /** Resolves when Redis can be asked, or after two seconds: a service may start without it. */
  settle(): Promise<void>;
  close(): void;
}
