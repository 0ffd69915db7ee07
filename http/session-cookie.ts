import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { OpenedSession } from '#core';

/** Another subdomain can't set a `__Host-` cookie. Browsers accept it only over https. */
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
