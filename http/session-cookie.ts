import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { OpenedSession } from '#core';

/**
 * Browsers accept a `__Host-` cookie only over https, from this host and for all paths. So another subdomain can't set
 * the cookie.
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

export function readSessionCookie(
  { headers }: Pick<FastifyRequest, 'headers'>,
  publicUrl: string,
): string | null {
  return parseCookie(headers.cookie ?? '')[cookieAt(publicUrl).name] || null;
}

export function writeSessionCookie(
  { session, expiresAt }: OpenedSession,
  publicUrl: string,
): string {
  return stringifySetCookie({ ...cookieAt(publicUrl), value: session, expires: expiresAt });
}

export function clearSessionCookie(publicUrl: string): string {
  return stringifySetCookie({ ...cookieAt(publicUrl), value: '', expires: new Date(0) });
}
