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

/** What holds for a page, and means nothing for what a page is made of. */
const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/**
 * A page loads nothing from elsewhere, is shown in nobody's frame, and is kept by no cache of a computer that others
 * use. Under `no-referrer` browsers would send no origin with a form, and every change is checked by it.
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

/** Of a script these headers would be a third of what is sent. */
export function removePageHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(pageHeaders)) reply.removeHeader(name);
}

/** What every form of a session carries. It is made from the session's secret, which it does not give away. */
export function csrfTokenOf(session: string): string {
  return hash('sha256', `csrf ${session}`, 'base64url');
}

export function isCsrfToken(session: string, token: string | undefined): boolean {
  const expected = Buffer.from(csrfTokenOf(session));
  const given = Buffer.from(token ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Whether a change was sent by a page of this service. A browser names the origin of every form that it sends: it must
 * be the public address, or, where a request came to another host, that host by the scheme of the request. A page by
 * http is never ours where the public address is by https, because anybody on the way could have written it.
 */
export function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { headers, protocol, host } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  const own = readOrigin(publicUrl);
  if (origin === own?.origin) return true;
  const asked = readOrigin(`${protocol}://${host}`);
  if (own?.protocol === 'https:' && own.hostname === asked?.hostname) return false;
  return origin === asked?.origin;
}

function readOrigin(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}

const returnPath =
  /^\/desk\/(?:portfolio(?:\/co_[\w-]{1,64}(?:\/metrics\/[\w.-]{1,64})?)?|compare|requests(?:\/ar_[0-9A-Za-z]{1,64})?|grants|activity|data(?:\/metrics\/[\w.-]{1,64}|\/upload)?|sessions|settings(?:\/keys|\/usage|\/log|\/webhooks(?:\/we_[0-9A-Za-z]{1,64})?)?)?$/;

const linkPath = /^\/desk\/sign-in\/confirm\?token=[0-9A-Za-z_]{1,64}$/;

/** Where a link to sign in leads. */
export const signInPath = (token: string): string =>
  `/desk/sign-in/confirm?token=${encodeURIComponent(token)}`;

/** The page to show again in another language: also that of a link, which must not be lost. */
export const safePagePath = (path: string | undefined): string =>
  path !== undefined && linkPath.test(path) ? path : safeReturnPath(path);

/** The page to go on to after signing in: one of the desk itself, and nothing else that looks like one. */
export function safeReturnPath(path: string | undefined): string {
  return path !== undefined && returnPath.test(path) ? path : '/desk/';
}
