/** How the buckets of credentials begin that belong to no key. There may be any number of them. */
export const strangerPrefix = 'unknown:';

/** The state of one budget, as the three headers show it. */
export interface RateLimitState {
  /** Points a window. */
  readonly limit: number;
  /** Points left in the window; never negative. */
  readonly remaining: number;
  /** Whole seconds until the window resets, rounded up; at least 1 once a point was spent. */
  readonly resetSeconds: number;
  /** Whether this call went over the limit. */
  readonly exceeded: boolean;
}

export interface RateLimiter {
  /**
   * Spends points of a bucket. Must count over all processes that share the limiter's store; must not reject, and must
   * not take longer than 50 ms: when the store is down or hangs, a limit of this process alone stands in.
   *
   * @param limit points a window for this bucket; null: the default of the service
   */
  consume(bucket: string, points: number, limit: number | null): Promise<RateLimitState>;
  /** The default policy, untouched: what is shown to a caller without a credential. Must count nothing. */
  untouched(): RateLimitState;
}
