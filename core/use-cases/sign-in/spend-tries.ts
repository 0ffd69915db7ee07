import { AccessError } from '../../model/errors.ts';
import { rateLimitState } from '../../model/identity/rate-limit.ts';
import type { Ports } from '../../ports/index.ts';

interface TryLimit {
  readonly kind: string;
  /** The value whose tries are counted, such as an address. The rate limiter gets only the digest of this value. */
  readonly countedValue: string;
  /** The maximum number of tries per rate limit window. */
  readonly limit: number;
}

/** @throws AccessError `rate_limit_exceeded` */
export async function spendTries(
  { rateLimiter, cryptography }: Ports,
  limits: readonly TryLimit[],
  message: string,
): Promise<void> {
  const states = await Promise.all(
    limits.map(async ({ kind, countedValue, limit }) => {
      const points = await rateLimiter.spend(`${kind}:${cryptography.sha256(countedValue)}`, 1);
      return rateLimitState(limit, points);
    }),
  );
  const exceeded = states.filter((state) => state.exceeded);
  if (exceeded.length === 0) return;
  throw new AccessError('rate_limit_exceeded', {
    message,
    retryAfterSeconds: Math.max(...exceeded.map(({ resetSeconds }) => resetSeconds)),
  });
}
