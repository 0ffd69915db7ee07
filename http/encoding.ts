import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CompressedBytes } from './compressed-bytes.ts';
import { toBody } from './long-bodies.ts';

export interface EncodedBody {
  readonly bytes: Buffer | CompressedBytes;
  readonly encoding: Encoding;
  /** A strong ETag, including the quotes. */
  readonly etag: string;
  /** The media type. If absent, the body is JSON. */
  readonly type?: string;
}

export function isEncodedBody(value: object): value is EncodedBody {
  return 'bytes' in value && 'etag' in value;
}

// In the order of the service's preference, for a caller who has no preference.
const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** The best encodings for a caller. `short` is for bodies that are too short to compress. */
export interface AcceptedEncoding {
  readonly long: Encoding;
  readonly short: Encoding;
}

export const identityOnly: AcceptedEncoding = { long: 'identity', short: 'identity' };

/** If the caller accepts no known encoding, returns `identity`. */
export function acceptedEncoding({ headers }: FastifyRequest): AcceptedEncoding {
  if (headers['accept-encoding'] === undefined) return identityOnly;
  // The published types don't declare the second parameter.
  const negotiator = new Negotiator({ headers }) as unknown as {
    encodings(available: readonly string[], options: { preferred: readonly string[] }): Encoding[];
  };
  const accepted = negotiator.encodings(encodings, { preferred: encodings });
  const [long = 'identity'] = accepted;
  return { long, short: accepted.includes('identity') ? 'identity' : long };
}

/** `thorough` is for content that each process compresses only once. */
type Effort = 'quick' | 'thorough';

const gzipLevels = { quick: 1, thorough: 6 } as const;
const brotliQualities = { quick: 4, thorough: 5 } as const;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

const compressors = {
  br: (bytes: Buffer, effort: Effort) =>
    compressBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQualities[effort],
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer, effort: Effort) => compressGzip(bytes, { level: gzipLevels[effort] }),
  identity: async (bytes: Buffer) => bytes,
} as const;

export async function encodeBody(
  plain: Buffer,
  encoding: Encoding,
  effort: Effort,
): Promise<EncodedBody> {
  const bytes = await compressors[encoding](plain, effort);
  return { bytes, encoding, etag: etagOf(bytes) };
}

export const etagOf = (bytes: Buffer): string => `"${hash('sha256', bytes, 'base64url')}"`;

export function sendEncoded(reply: FastifyReply, { bytes, encoding }: EncodedBody): FastifyReply {
  addVary(reply, 'Accept-Encoding');
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(toBody(reply, [bytes]));
}

/** Sends a body with its ETag. Sends 304 instead if the caller already has this ETag. */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  body: EncodedBody,
): FastifyReply {
  reply.header('etag', body.etag);
  if (!matchesEtag(body.etag, request.headers['if-none-match'])) return sendEncoded(reply, body);
  addVary(reply, 'Accept-Encoding');
  return reply.code(304).removeHeader('content-type').send();
}

/** Compares weakly: ignores the prefix `W/`, as RFC 9110, 13.1.2 requires for `If-None-Match`. */
function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

export function addVary(reply: FastifyReply, field: string): void {
  const vary = reply.getHeader('vary');
  if (vary === undefined) reply.header('vary', field);
  else if (!String(vary).toLowerCase().split(/ *, */).includes(field.toLowerCase()))
    reply.header('vary', `${vary}, ${field}`);
}
