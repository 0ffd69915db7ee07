import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers for pages. They have no effect on styles and scripts. */
const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/**
 * Sets the security headers of pages. A page loads nothing from other sites, and no other site can frame it. Caches
 * don't store pages, because several people may use one computer. The referrer policy can't be `no-referrer`: browsers
 * would then send forms without their origin, which the service checks.
 */
export function setSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      ...pageHeaders,
    });
    done();
  });
}

/** Only pages need these headers. They would be a third of the response's size for a script. */
export function removePageHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(pageHeaders)) reply.removeHeader(name);
}

/** The CSRF token is derived from the session's secret, and doesn't reveal it. */
export function csrfTokenOf(session: string): string {
  return hash('sha256', `csrf ${session}`, 'base64url');
}

export function isCsrfToken(session: string, token: string | undefined): boolean {
  const expected = Buffer.from(csrfTokenOf(session));
  const received = Buffer.from(token ?? '');
  return received.length === expected.length && timingSafeEqual(received, expected);
}

/**
 * Returns true if a page of this service sent the form. The browser's `Origin` header must equal the public address, or
 * the scheme and host of the HTTP request. If the public address is https, the same host with http is rejected, because
 * an attacker on the network could have written that page.
 */
export function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { headers, protocol, host } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  if (origin === undefined) return false;
  const own = URL.parse(publicUrl);
  if (origin === own?.origin) return true;
  const requested = URL.parse(`${protocol}://${host}`);
  if (own?.protocol === 'https:' && own.hostname === requested?.hostname) return false;
  return origin === requested?.origin;
}

/** Programs don't send the header `Sec-Fetch-Site`, so the result for programs is false. */
export const isFromOtherSite = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'cross-site';

const linkPath = /^\/desk\/sign-in\/confirm\?token=[0-9A-Za-z_]{1,64}$/;

export const signInPath = (token: string): string =>
  `/desk/sign-in/confirm?token=${encodeURIComponent(token)}`;

export const isSignInPath = (path: string | undefined): path is string =>
  path !== undefined && linkPath.test(path);
