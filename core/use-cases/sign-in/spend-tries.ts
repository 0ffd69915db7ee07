import { AccessError } from '../../model/errors.ts';
import { rateLimitState } from '../../model/identity/rate-limit.ts';
import type { Ports } from '../../ports/index.ts';

/** How often something may be tried within a window of the rate limit. */
interface TryLimit {
  /** What is counted. */
  readonly kind: string;
  /** For whom: known to the limiter by its digest alone. */
  readonly of: string;
  readonly limit: number;
}

/** @throws AccessError `rate_limit_exceeded` when one of the limits is */
export async function spendTries(
  { rateLimiter, cryptography }: Pick<Ports, 'rateLimiter' | 'cryptography'>,
  limits: readonly TryLimit[],
  message: string,
): Promise<void> {
  const states = await Promise.all(
    limits.map(async ({ kind, of, limit }) => {
      const points = await rateLimiter.spend(`${kind}:${cryptography.sha256(of)}`, 1);
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
