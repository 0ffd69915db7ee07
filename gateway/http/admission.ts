import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AccessError,
  type CallerUseCases,
  callCost,
  type Protocol,
  type RateLimiter,
  type RateLimitState,
  untouchedRateLimit,
} from '#core';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's budget as it stands; null on what is open to everyone. */
    rateLimit: RateLimitState | null;
  }
  interface FastifyContextConfig {
    /** Open to everyone: no credential is looked at and nothing is counted. */
    open?: boolean | ((request: FastifyRequest) => boolean);
    /** Asked by whoever watches the process: it must not wait behind those who use it. */
    isProbe?: boolean;
    /** How many calls one request weighs among those of a caller that are answered at a time. */
    weight?: (request: FastifyRequest) => number;
    /** By which protocol the route is served; REST if nothing else is said. */
    protocol?: Protocol;
    /** What a request costs when it is not one call. */
    points?: (request: FastifyRequest) => number;
    /** The company whose data a request asks for, where the route says so. */
    companyId?: (request: FastifyRequest) => string | undefined;
  }
}

/** The headers that stand on every answer. */
export function introduce(
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimiter: Pick<RateLimiter, 'policy'>,
): void {
  reply.header('svc-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  showRateLimit(reply, untouchedRateLimit(rateLimiter.policy));
}

export function isOpen(request: FastifyRequest): boolean {
  const { open = false } = request.routeOptions.config;
  return typeof open === 'function' ? open(request) : open;
}

/**
 * Lets the caller in, or throws the refusal, which the adapter then gives the form of its protocol.
 *
 * @throws AccessError `missing_api_key`, `invalid_api_key`, `rate_limit_exceeded`, `service_unavailable`
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  credential: string | null,
  { admitCaller }: Pick<CallerUseCases, 'admitCaller'>,
): Promise<void> {
  reply.header('cache-control', 'no-store');
  const { config } = request.routeOptions;
  const points = config.points?.(request) ?? callCost;
  const call = { requestId: request.id, protocol: config.protocol ?? 'rest' };
  const companyId = config.companyId?.(request) ?? null;
  const admission = await admitCaller(credential, points, call, companyId);
  showRateLimit(reply, admission.rateLimit);
  if ('refusal' in admission) throw admission.refusal;
  request.caller = admission.caller;
  request.rateLimit = admission.rateLimit;
}

/**
 * Charges for what an admitted request is about to do. Must come before the headers are sent.
 *
 * @throws AccessError `rate_limit_exceeded` when nothing was left of the caller's budget
 */
export const createCharge =
  ({ chargeCaller }: Pick<CallerUseCases, 'chargeCaller'>) =>
  async (request: FastifyRequest, reply: FastifyReply, points: number): Promise<void> => {
    if (request.caller === null) throw new AccessError('missing_api_key');
    const { rateLimit, refusal } = await chargeCaller(request.caller, points);
    request.rateLimit = rateLimit;
    showRateLimit(reply, rateLimit);
    if (refusal !== null) throw refusal;
  };

function showRateLimit(
  reply: FastifyReply,
  { limit, remaining, resetSeconds }: RateLimitState,
): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
}

/** The bearer token; null when there is none, or the scheme is another. */
export function readCredential({ headers }: FastifyRequest): string | null {
  return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trimEnd() ?? null;
}
