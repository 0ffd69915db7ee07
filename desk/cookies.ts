import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const languageCookie = 'portfolio_desk_language';
const returnCookie = 'portfolio_desk_return';
const base = { path: '/desk', httpOnly: true, sameSite: 'lax' } as const;
const yearSeconds = 365 * 86_400;
/** As long as a sign-in link works. */
const returnSeconds = 15 * 60;

function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  return parseCookie(headers.cookie ?? '')[name];
}

type Cookie = Omit<SetCookie, 'value' | 'maxAge'>;

function writeCookie(reply: FastifyReply, cookie: Cookie, value: string, maxAge: number): void {
  reply.header('set-cookie', stringifySetCookie({ ...cookie, value, maxAge }));
}

const removeCookie = (reply: FastifyReply, cookie: Cookie): void =>
  writeCookie(reply, cookie, '', 0);

export const chosenLanguage = (request: FastifyRequest) => readCookie(request, languageCookie);

export function setLanguage(reply: FastifyReply, value: string): void {
  writeCookie(reply, { ...base, name: languageCookie }, value, yearSeconds);
}

export function setReturnPath(reply: FastifyReply, path: string): void {
  writeCookie(reply, { ...base, name: returnCookie }, path, returnSeconds);
}

const providerSeconds = 10 * 60;

/** With https, the name prefix stops other hosts of the same domain from setting this cookie. */
function providerCookieAt(publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  return {
    name: secure ? '__Host-portfolio_desk_oidc' : 'portfolio_desk_oidc',
    path: secure ? '/' : '/desk/sign-in',
    secure,
    httpOnly: true,
    sameSite: 'lax',
  } as const;
}

/** Returns null if the browser hasn't started a sign-in at the provider. */
export const keptSecret = (request: FastifyRequest, publicUrl: string): string | null =>
  readCookie(request, providerCookieAt(publicUrl).name) ?? null;

/** The cookie stays after a sign-in, because another tab may still return from the provider. */
export function keepSecret(reply: FastifyReply, publicUrl: string, value: string): void {
  writeCookie(reply, providerCookieAt(publicUrl), value, providerSeconds);
}

export function forgetSecret(reply: FastifyReply, publicUrl: string): void {
  removeCookie(reply, providerCookieAt(publicUrl));
}

/** Returns the stored path and deletes the cookie. The path isn't checked yet: a browser can send any text. */
export function takeReturnPath(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const path = readCookie(request, returnCookie);
  if (path !== undefined) removeCookie(reply, { ...base, name: returnCookie });
  return path;
}
