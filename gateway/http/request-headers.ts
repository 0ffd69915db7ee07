import { MIMEType } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { ProtocolError } from '#http';

/** An address with an optional port, or nothing at all (RFC 9110, 7.2). */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * A request must name one host, and at most one caller: a proxy before us may read another one than we do. HTTP/1.0
 * need not name a host.
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
 * A body comes in chunks or has a length. Another coding beside the chunks is one that a proxy before us may read in
 * another way than we do, and see other requests on the connection than we see.
 *
 * @throws AccessError `invalid_parameter`; the connection ends with its answer
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

/** A body that is compressed, or in another character set than UTF-8, is refused before it is read; null: it may be read. */
export function refuseBody({ method, headers }: FastifyRequest): ProtocolError | null {
  if (bodyless.includes(method)) return null;
  const encodings = headers['content-encoding']?.split(',').map((name) => name.trim()) ?? [];
  if (!encodings.every((name) => /^(?:identity)?$/i.test(name))) {
    const message = 'A body with a Content-Encoding is not read: send it as it is.';
    const details = { param: 'content-encoding', allowed: ['identity'] };
    return new ProtocolError('unsupported_media_type', { message, details });
  }
  if (!/^(?:utf-?8)?$/i.test(charsetOf(headers['content-type']))) {
    const message = 'A body in another character set than UTF-8 is not read.';
    const details = { param: 'content-type', allowed: ['application/json; charset=utf-8'] };
    return new ProtocolError('unsupported_media_type', { message, details });
  }
  return null;
}

/** Empty when none is named, or the type is none: the parser of the body refuses that. */
function charsetOf(contentType = ''): string {
  if (!/charset/i.test(contentType)) return '';
  try {
    return new MIMEType(contentType).params.get('charset') ?? '';
  } catch {
    return '';
  }
}
