import { MIMEType } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { AccessError } from '#core';

/** An address with an optional port, or nothing at all (RFC 9110, 7.2). */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * Refuses what names its host or its caller twice, or no host: what stands between us and the caller may read another one
 * than we do. HTTP/1.0 has no host to name.
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
  if (credentials > 1) throw refuse('The request has more than one Authorization header.');
  if (hosts > 1) throw refuse('The request has more than one Host header.');
  if (hosts === 0 && httpVersionMinor > 0) throw refuse('The request has no Host header.');
  if (!host.test(headers.host ?? '')) throw refuse('The Host header is not valid.');
}

function refuse(message: string): AccessError {
  return new AccessError('invalid_parameter', { message });
}

const bodyless = ['GET', 'HEAD', 'TRACE'];

/**
 * Refuses a body that is compressed, or in another character set than UTF-8, before it is read.
 *
 * @throws AccessError `unsupported_media_type`
 */
export function checkBodyForm({ method, headers }: FastifyRequest): void {
  if (bodyless.includes(method)) return;
  const encodings = headers['content-encoding']?.split(',').map((name) => name.trim()) ?? [];
  if (!encodings.every((name) => /^(?:identity)?$/i.test(name))) {
    throw new AccessError('unsupported_media_type', {
      message: 'A body with a Content-Encoding is not read: send it as it is.',
    });
  }
  if (!/^(?:utf-?8)?$/i.test(readCharset(headers['content-type']))) {
    throw new AccessError('unsupported_media_type', {
      message: 'A body in another character set than UTF-8 is not read.',
    });
  }
}

/** Empty when none is named. */
function readCharset(contentType = ''): string {
  if (!/charset/i.test(contentType)) return '';
  try {
    return new MIMEType(contentType).params.get('charset') ?? '';
  } catch {
    // What is no media type at all is refused by the parser of the body.
    return '';
  }
}
