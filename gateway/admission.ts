import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerUseCases, RateLimiter, RateLimitState } from '#core';

/** The headers that stand on every answer. */
export function introduce(
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimiter: Pick<RateLimiter, 'untouched'>,
): void {
  reply.header('svc-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  showRateLimit(reply, rateLimiter.untouched());
}

/**
 * Lets the caller in, or throws the refusal, which the adapter then gives the form of its protocol.
 *
 * @throws AccessError `missing_api_key`, `invalid_api_key`, `rate_limit_exceeded`
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { admitCaller }: Pick<CallerUseCases, 'admitCaller'>,
): Promise<void> {
  reply.header('cache-control', 'no-store');
  const admission = await admitCaller(readCredential(request.headers.authorization), 1);
  showRateLimit(reply, admission.rateLimit);
  if ('refusal' in admission) throw admission.refusal;
  request.caller = admission.caller;
}

function showRateLimit(
  reply: FastifyReply,
  { limit, remaining, resetSeconds }: RateLimitState,
): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
}

/** The bearer token; null when there is none, or the scheme is another. */
function readCredential(header: string | undefined): string | null {
  return /^Bearer +(\S.*)$/i.exec(header ?? '')?.[1]?.trimEnd() ?? null;
}
