import type { RateLimitPolicy, Spending } from '../rate-limit.ts';

export interface RateLimiter {
  readonly policy: RateLimitPolicy;
  /**
   * Spends points of a bucket. Must count over all processes that share the limiter's store; must not reject, and must
   * not take longer than 50 ms: when the store is down or hangs, this process counts alone. Anybody can make up
   * buckets, and their number must not matter.
   */
  spend(bucket: string, points: number): Promise<Spending>;
}
