import type { Caller } from '../caller.ts';
import type { Ports } from '../ports/index.ts';
import { type RateLimitState, rateLimitState, untouchedRateLimit } from '../rate-limit.ts';

/**
 * Charges what shows only at the end of a call. It never refuses: what goes over the limit is a debt that counts
 * against the next call.
 */
export const chargeCaller =
  ({ rateLimiter: { policy, spend } }: Ports) =>
  async ({ budget }: Caller, points: number): Promise<RateLimitState> =>
    budget === null
      ? untouchedRateLimit(policy)
      : rateLimitState(budget.limit ?? policy.points, await spend(budget.bucket, points));
