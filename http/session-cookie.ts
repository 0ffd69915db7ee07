import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { OpenedSession } from '#core';

/**
 * The cookie of the desk's sessions. Browsers accept `__Host-` only over https, from this host and for all paths, so
 * another subdomain can't set it.
 *
 * @param publicUrl the public address of the service
 */
function cookieAt(publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  return {
    name: secure ? '__Host-portfolio_desk' : 'portfolio_desk',
    path: secure ? '/' : '/desk',
    secure,
    httpOnly: true,
    sameSite: 'lax',
  } as const;
}

/** Returns the credential of the browser's session. Null without one. */
export function readSessionCookie(
  { headers }: Pick<FastifyRequest, 'headers'>,
  publicUrl: string,
): string | null {
  return parseCookie(headers.cookie ?? '')[cookieAt(publicUrl).name] || null;
}

/** Builds the `Set-Cookie` header that gives a browser its session. */
export function writeSessionCookie(
  { session, expiresAt }: OpenedSession,
  publicUrl: string,
): string {
  return stringifySetCookie({ ...cookieAt(publicUrl), value: session, expires: expiresAt });
}

/** Builds the `Set-Cookie` header that removes the session. */
export function clearSessionCookie(publicUrl: string): string {
  return stringifySetCookie({ ...cookieAt(publicUrl), value: '', expires: new Date(0) });
}
