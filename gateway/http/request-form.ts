import { MIMEType } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { ProtocolError } from '#http';

/** An address with an optional port, or nothing at all (RFC 9110, 7.2). */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * The refusal of what names its host or its caller twice, or no host: what stands between us and the caller may read
 * another one than we do. HTTP/1.0 need not name one.
 */
export function refusalOfHeaders({ raw }: FastifyRequest): AccessError | null {
  const { rawHeaders, headers, httpVersionMinor } = raw;
  let hosts = 0;
  let credentials = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
  }
  if (credentials > 1) return invalid('The request has more than one Authorization header.');
  if (hosts > 1) return invalid('The request has more than one Host header.');
  if (hosts === 0 && httpVersionMinor > 0) return invalid('The request has no Host header.');
  if (!host.test(headers.host ?? '')) return invalid('The Host header is not valid.');
  return null;
}

function invalid(message: string): AccessError {
  return new AccessError('invalid_parameter', { message });
}

const bodyless = ['GET', 'HEAD', 'TRACE'];

/** The refusal of a body that is compressed or in another character set than UTF-8, before it is read. */
export function refusalOfBody({ method, headers }: FastifyRequest): ProtocolError | null {
  if (bodyless.includes(method)) return null;
  const encodings = headers['content-encoding']?.split(',').map((name) => name.trim()) ?? [];
  if (!encodings.every((name) => /^(?:identity)?$/i.test(name))) {
    return unsupported('A body with a Content-Encoding is not read: send it as it is.');
  }
  if (!/^(?:utf-?8)?$/i.test(readCharset(headers['content-type']))) {
    return unsupported('A body in another character set than UTF-8 is not read.');
  }
  return null;
}

function unsupported(message: string): ProtocolError {
  return new ProtocolError('unsupported_media_type', { message });
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
