import type { FastifyRequest } from 'fastify';

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
