import { isKeyLive, isWellFormedKey } from '../api-key.ts';
import type { Call, Caller } from '../caller.ts';
import { isCompanyId } from '../company.ts';
import { AccessError } from '../errors.ts';
import type { Ports } from '../ports/index.ts';
import type { Acquaintance } from '../ports/standing-reader.ts';
import { type RateLimitState, rateLimitState, untouchedRateLimit } from '../rate-limit.ts';

/** Whether a caller may go on, and the state of its budget, which every answer shows, a refusal too. */
export type Admission =
  | { readonly rateLimit: RateLimitState; readonly caller: Caller }
  | { readonly rateLimit: RateLimitState; readonly refusal: AccessError };

/**
 * Finds out who calls and charges the call, before anything else is looked at. Every credential has a bucket, a key or
 * not: a client that goes on with one that works no more is slowed down and spends nobody's budget. How the key stands
 * with the company of the call is read with the key, and told to nobody before that.
 *
 * @param credential the bearer token as it was sent; null: none was
 * @param points what the call costs
 */
export const admitCaller =
  ({ clock, cryptography, rateLimiter, standings }: Ports) =>
  async (credential: string | null, points: number, call: Call): Promise<Admission> => {
    if (credential === null) {
      const rateLimit = untouchedRateLimit(rateLimiter.policy);
      return { rateLimit, refusal: new AccessError('missing_api_key') };
    }
    const digest = cryptography.sha256(credential);
    const companyId =
      call.companyId !== undefined && isCompanyId(call.companyId) ? call.companyId : null;
    const [met, spending] = await Promise.all([
      isWellFormedKey(credential) ? standings.meet({ digest, companyId }).catch(toRefusal) : null,
      rateLimiter.spend(digest, points),
    ]);
    if (met instanceof AccessError) {
      return { rateLimit: rateLimitState(rateLimiter.policy.points, spending), refusal: met };
    }
    const known = met !== null && isKeyLive(met.key, clock.now()) ? met : null;
    const rateLimit = rateLimitState(known?.key.rateLimit ?? rateLimiter.policy.points, spending);
    if (rateLimit.exceeded) {
      const retryAfterSeconds = rateLimit.resetSeconds;
      return { rateLimit, refusal: new AccessError('rate_limit_exceeded', { retryAfterSeconds }) };
    }
    return known
      ? { rateLimit, caller: callerOf(known, digest, call) }
      : { rateLimit, refusal: new AccessError('invalid_api_key') };
  };

/** Whose limit it is cannot be told then, so the default is shown; the points are spent. */
function toRefusal(error: unknown): AccessError {
  if (error instanceof AccessError) return error;
  throw error;
}

function callerOf({ key, standing }: Acquaintance, bucket: string, call: Call): Caller {
  const { id: keyId, investorId, environment, scopes, rateLimit } = key;
  const caller = { keyId, investorId, environment, scopes, rateLimit, bucket, ...call };
  return standing === null ? caller : { ...caller, standing };
}
