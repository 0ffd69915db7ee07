import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { OpenedSession } from '#core';

/**
 * The cookie of the desk's sessions. Browsers take one with `__Host-` only over https, from this very host and for all of
 * its paths, so no neighbour under the same domain can set it.
 *
 * @param publicUrl where the service is reached
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

/** The credential of the browser's session; null when it has none. */
export function readSessionCookie(
  { headers }: Pick<FastifyRequest, 'headers'>,
  publicUrl: string,
): string | null {
  return parseCookie(headers.cookie ?? '')[cookieAt(publicUrl).name] || null;
}

/** The header `Set-Cookie` that gives a browser its session. */
export function writeSessionCookie(
  { session, expiresAt }: OpenedSession,
  publicUrl: string,
): string {
  return stringifySetCookie({ ...cookieAt(publicUrl), value: session, expires: expiresAt });
}

/** The header `Set-Cookie` that takes the session from a browser. */
export function clearSessionCookie(publicUrl: string): string {
  return stringifySetCookie({ ...cookieAt(publicUrl), value: '', expires: new Date(0) });
}
