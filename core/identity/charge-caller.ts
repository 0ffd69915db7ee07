import { AccessError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import type { Caller } from './caller.ts';
import {
  type RateLimitState,
  rateLimitState,
  untouchedRateLimit,
  wasUsedUp,
} from './rate-limit.ts';

/** The state of the caller's budget after a charge, and why the caller may not go on; null when it may. */
export interface Charge {
  readonly rateLimit: RateLimitState;
  readonly refusal: AccessError | null;
}

/**
 * Charges a caller for what it is about to do in a call that was admitted. As long as a point is left it may go on,
 * even over the limit: what goes over is a debt that counts against whatever comes next. So however many calls of one
 * key are under way, the first charge that crosses the limit is the last one that passes.
 */
export const chargeCaller =
  ({ rateLimiter: { policy, spend } }: Ports) =>
  async ({ budget }: Caller, points: number): Promise<Charge> => {
    if (budget === null) return { rateLimit: untouchedRateLimit(policy), refusal: null };
    const limit = budget.limit ?? policy.points;
    const spending = await spend(budget.bucket, points);
    const rateLimit = rateLimitState(limit, spending);
    if (!wasUsedUp(limit, spending, points)) return { rateLimit, refusal: null };
    const retryAfterSeconds = rateLimit.resetSeconds;
    return { rateLimit, refusal: new AccessError('rate_limit_exceeded', { retryAfterSeconds }) };
  };
