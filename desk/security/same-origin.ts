import type { FastifyRequest } from 'fastify';

/**
 * Whether a change was sent by a page of this service. A browser names the origin of every form that it sends; a proxy
 * may have changed the host on the way, so the public address counts too.
 */
export function isSameOrigin({ headers }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return origin === originOf(publicUrl) || new URL(origin).host === headers.host;
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
