import { MIMEType } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { ProtocolError } from '#http';

/** A host with an optional port. May be empty (RFC 9110, 7.2). */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * Requires exactly one Host header and at most one Authorization header. With several, a proxy could use a different
 * header than this service. In HTTP/1.0, the Host header may be absent.
 *
 * @throws AccessError `invalid_parameter`
 */
export function checkHeaders({ raw }: FastifyRequest): void {
  const { rawHeaders, headers, httpVersionMinor } = raw;
  let hosts = 0;
  let credentials = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
  }
  if (credentials > 1)
    refuse('authorization', 'The request has more than one Authorization header.');
  if (hosts > 1) refuse('host', 'The request has more than one Host header.');
  if (hosts === 0 && httpVersionMinor > 0) refuse('host', 'The request has no Host header.');
  if (!host.test(headers.host ?? '')) refuse('host', 'The Host header is not valid.');
}

/**
 * Requires a chunked body or a Content-Length header. With another transfer coding, a proxy and this service could
 * disagree about where an HTTP request ends.
 *
 * @throws AccessError `invalid_parameter`. The connection closes after the response
 */
export function checkTransferCoding({ raw }: FastifyRequest, reply: FastifyReply): void {
  const coding = raw.headers['transfer-encoding'];
  if (coding === undefined) return;
  if (coding.toLowerCase() === 'chunked' && raw.httpVersionMinor > 0) return;
  reply.header('connection', 'close');
  refuse(
    'transfer-encoding',
    'The request has a Transfer-Encoding that is not supported: send the body in chunks only.',
  );
}

function refuse(param: string, message: string): never {
  throw new AccessError('invalid_parameter', { message, details: { param } });
}

const bodyless = ['GET', 'HEAD', 'TRACE'];

/** Returns an error if the request body is compressed or isn't UTF-8. Runs before the body is read. */
export function refuseBody({ method, headers }: FastifyRequest): ProtocolError | null {
  if (bodyless.includes(method)) return null;
  const encodings = headers['content-encoding']?.split(',').map((name) => name.trim()) ?? [];
  if (!encodings.every((name) => /^(?:identity)?$/i.test(name))) {
    const message =
      'A compressed request body isn’t accepted. Send the body without the header Content-Encoding.';
    const details = { param: 'content-encoding', allowed: ['identity'] };
    return new ProtocolError('unsupported_media_type', { message, details });
  }
  if (!/^(?:utf-?8)?$/i.test(charsetOf(headers['content-type']))) {
    const message = 'The request body must be encoded as UTF-8.';
    const details = { param: 'content-type', allowed: ['application/json; charset=utf-8'] };
    return new ProtocolError('unsupported_media_type', { message, details });
  }
  return null;
}

/** Returns an empty text without a charset. The body parser refuses an invalid content type. */
function charsetOf(contentType = ''): string {
  if (!/charset/i.test(contentType)) return '';
  try {
    return new MIMEType(contentType).params.get('charset') ?? '';
  } catch {
    return '';
  }
}
