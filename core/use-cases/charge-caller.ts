import type { Caller } from '../caller.ts';
import type { Ports } from '../ports/index.ts';
import { type RateLimitState, rateLimitState } from '../rate-limit.ts';

/**
 * Charges what shows only at the end of a call. It never refuses: what goes over the limit is a debt that counts
 * against the next call.
 */
export const chargeCaller =
  ({ rateLimiter }: Ports) =>
  async ({ bucket, rateLimit }: Caller, points: number): Promise<RateLimitState> =>
    rateLimitState(rateLimit ?? rateLimiter.policy.points, await rateLimiter.spend(bucket, points));
