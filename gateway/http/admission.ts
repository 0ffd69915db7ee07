import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  AccessError,
  type CompanyUseCases,
  type ContactUseCases,
  callCost,
  fullRateLimit,
  type InvestorUseCases,
  type RateLimitPolicy,
  type RateLimitState,
} from '#core';
import { ProtocolError, readSessionCookie } from '#http';

/** Writes the rate limit headers last, because the remaining points can change until the response is sent. */
export function setCommonHeaders(app: FastifyInstance, policy: RateLimitPolicy): void {
  app.decorateRequest('rateLimit');
  app.addHook('onRequest', (request, reply, done) => {
    request.rateLimit = fullRateLimit(policy);
    reply.header('svc-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(rateLimitHeaders(request.rateLimit, policy));
    done(null, payload);
  });
}

export function isPublicRoute(request: FastifyRequest): boolean {
  const { isPublic = false } = request.routeOptions.config;
  return typeof isPublic === 'function' ? isPublic(request) : isPublic;
}

type Admit = Pick<InvestorUseCases, 'admitCaller'> &
  Pick<CompanyUseCases, 'admitCompany'> &
  Pick<ContactUseCases, 'admitContact'>;

/**
 * Authenticates the caller and deducts the points of the HTTP request from the rate limit.
 *
 * @throws ProtocolError `missing_api_key`
 * @throws AccessError `invalid_api_key`, `rate_limit_exceeded` or `service_unavailable`
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  credential: string | null,
  { admitCaller, admitCompany, admitContact }: Admit,
): Promise<void> {
  reply.header('cache-control', 'no-store');
  if (credential === null) throw new ProtocolError('missing_api_key');
  const { config } = request.routeOptions;
  const points = config.points?.(request) ?? callCost;
  const call = { requestId: request.id, protocol: config.protocol ?? 'rest' };
  const params = request.params as Readonly<Record<string, string>>;
  const companyId = params[config.companyParameter ?? ''] ?? null;
  const { principal = 'investor' } = config;
  const admission = await {
    investor: () => admitCaller(credential, points, call, companyId),
    company: () => admitCompany(credential, points, call),
    contact: () => admitContact(credential, points, call),
  }[principal]();
  request.rateLimit = admission.rateLimit;
  if ('refusal' in admission) throw explainWrongKind(admission.refusal, credential, principal);
  request.caller = admission.caller;
}

const kinds = [
  {
    principal: 'company',
    prefix: /^svc_ck_/,
    message: 'This is a company key. It works in the API of companies, /company/v1.',
  },
  {
    principal: 'investor',
    prefix: /^svc_sk_/,
    message: 'This is an API key of an investor. It works in /v1, /graphql, /trpc and /mcp.',
  },
] as const;

/** Names the API whose keys have this form. Even a key that doesn't exist gets this message. */
function explainWrongKind(refusal: AccessError, credential: string, principal: string) {
  if (refusal.code !== 'invalid_api_key' || principal === 'contact') return refusal;
  const kind = kinds.find(({ prefix }) => prefix.test(credential));
  if (kind === undefined || kind.principal === principal) return refusal;
  return new AccessError('invalid_api_key', { message: kind.message });
}

/**
 * Deducts points for further work of an admitted HTTP request, before the response headers are sent.
 *
 * @throws AccessError `rate_limit_exceeded` if no points were left
 */
export const createCharge =
  ({ chargeCaller }: Pick<InvestorUseCases, 'chargeCaller'>) =>
  async (request: FastifyRequest, points: number): Promise<void> => {
    const { caller } = request;
    if (caller === null) throw new ProtocolError('missing_api_key');
    const { rateLimit, refusal } = await chargeCaller(caller, points);
    request.rateLimit = rateLimit;
    if (refusal !== null) throw refusal;
  };

/**
 * Returns the session cookie on pages for contacts, and the bearer token on all other routes. So a route never accepts
 * the wrong kind of credential. Returns null if the credential is missing.
 */
export function readCredential(request: FastifyRequest, publicUrl: string): string | null {
  const { headers, routeOptions } = request;
  if (routeOptions.config.principal === 'contact') return readSessionCookie(request, publicUrl);
  return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trimEnd() ?? null;
}

/** The API's own three headers, and the two of the draft draft-ietf-httpapi-ratelimit-headers-11. */
export function rateLimitHeaders(
  { limit, remaining, resetSeconds }: RateLimitState,
  { windowSeconds }: RateLimitPolicy,
) {
  return {
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
    'ratelimit-policy': `"key";q=${limit};w=${windowSeconds}`,
    ratelimit: `"key";r=${remaining};t=${resetSeconds}`,
  };
}
