import { isCompanyId } from '../company-data/company.ts';
import type { AuthenticatedKey } from '../consent/ports/access-facts-reader.ts';
import { AccessError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { isKeyLive, isWellFormedKey } from './api-key.ts';
import type { Call, Caller } from './caller.ts';
import { type RateLimitState, rateLimitState, untouchedRateLimit } from './rate-limit.ts';

/** Whether a caller may go on, and the state of its budget, which every answer shows, a refusal too. */
export type Admission =
  | { readonly rateLimit: RateLimitState; readonly caller: Caller }
  | { readonly rateLimit: RateLimitState; readonly refusal: AccessError };

/**
 * Finds out who calls and charges the call, before anything else is looked at. Every credential has a bucket, a key or
 * not: a client that goes on with one that never worked, or works no more, is slowed down and spends nobody's budget.
 * How the key stands with the company of the call is read with the key, and told to nobody before that.
 *
 * @param credential the bearer token as it was sent; null: none was
 * @param points what the call costs
 */
export const admitCaller =
  ({ clock, cryptography, rateLimiter, accessFacts }: Ports) =>
  async (credential: string | null, points: number, call: Call): Promise<Admission> => {
    const { policy } = rateLimiter;
    if (credential === null) {
      const refusal = new AccessError('missing_api_key');
      return { rateLimit: untouchedRateLimit(policy), refusal };
    }
    const digest = cryptography.sha256(credential);
    const companyId =
      call.companyId !== undefined && isCompanyId(call.companyId) ? call.companyId : null;
    const isKeyShaped = isWellFormedKey(credential);
    const [met, spending] = await Promise.all([
      isKeyShaped ? accessFacts.authenticate({ digest, companyId }).catch(toRefusal) : null,
      rateLimiter.spend(digest, points),
    ]);
    // Whose limit it is cannot be told then, so the default is shown; the points are spent.
    if (met instanceof AccessError) {
      return { rateLimit: rateLimitState(policy.points, spending), refusal: met };
    }
    const known = met !== null && isKeyLive(met.key, clock.now()) ? met : null;
    // A key that has ended must be told so at once, whatever it had spent before; and one that never was must take the
    // same steps, or the time that they take would tell the two apart.
    const spent =
      isKeyShaped && known === null
        ? await rateLimiter.spend(`${notLivePrefix}${digest}`, points)
        : spending;
    const rateLimit = rateLimitState(known?.key.rateLimit ?? policy.points, spent);
    if (rateLimit.exceeded) {
      const retryAfterSeconds = rateLimit.resetSeconds;
      return { rateLimit, refusal: new AccessError('rate_limit_exceeded', { retryAfterSeconds }) };
    }
    return known
      ? { rateLimit, caller: callerOf(known, digest, call) }
      : { rateLimit, refusal: new AccessError('invalid_api_key') };
  };

const notLivePrefix = 'ended:';

function toRefusal(error: unknown): AccessError {
  if (error instanceof AccessError) return error;
  throw error;
}

function callerOf({ key, facts }: AuthenticatedKey, bucket: string, call: Call): Caller {
  const { id: keyId, investorId, environment, scopes, rateLimit: limit } = key;
  const caller = { keyId, investorId, environment, scopes, budget: { bucket, limit }, ...call };
  return facts === null ? caller : { ...caller, facts };
}
