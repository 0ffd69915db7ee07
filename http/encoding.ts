import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CompressedBytes } from './compressed-bytes.ts';
import { toBody } from './long-bodies.ts';

/** A response body in the encoding that is sent. */
export interface EncodedBody {
  readonly bytes: Buffer | CompressedBytes;
  readonly encoding: Encoding;
  /** A strong ETag of the sent bytes, with its quotes. */
  readonly etag: string;
  /** The media type. Absent means JSON. */
  readonly type?: string;
}

export function isEncodedBody(value: object): value is EncodedBody {
  return 'bytes' in value && 'etag' in value;
}

// In order of preference, if the caller has none.
const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** The encodings that a caller accepts: for long bodies, and for bodies too short to compress. */
export interface AcceptedEncoding {
  readonly long: Encoding;
  readonly short: Encoding;
}

export const identityAlone: AcceptedEncoding = { long: 'identity', short: 'identity' };

/** Callers that accept no known encoding get the body uncompressed. */
export function acceptedEncoding({ headers }: FastifyRequest): AcceptedEncoding {
  if (headers['accept-encoding'] === undefined) return identityAlone;
  // The published types lack the second parameter.
  const negotiator = new Negotiator({ headers }) as unknown as {
    encodings(available: readonly string[], options: { preferred: readonly string[] }): Encoding[];
  };
  const accepted = negotiator.encodings(encodings, { preferred: encodings });
  const [long = 'identity'] = accepted;
  return { long, short: accepted.includes('identity') ? 'identity' : long };
}

/** Content that is served for the life of the process is compressed more thoroughly. */
type Effort = 'quick' | 'thorough';

const gzipLevels = { quick: 1, thorough: 6 } as const;
const brotliQualities = { quick: 4, thorough: 5 } as const;

// Node compresses in threads of its own, so requests go on meanwhile.
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

/** Sends a body with its ETag, or 304 if the caller has it. */
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

/** Returns true if the caller already has the body with this strong ETag (RFC 9110, 13.1.2). */
function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Adds fields to the `Vary` header. */
export function addVary(reply: FastifyReply, ...fields: readonly string[]): void {
  const vary = reply.getHeader('vary');
  if (vary === undefined) {
    reply.header('vary', fields.join(', '));
    return;
  }
  const known = String(vary).toLowerCase().split(/ *, */);
  const further = fields.filter((field) => !known.includes(field.toLowerCase()));
  if (further.length > 0) reply.header('vary', [vary, ...further].join(', '));
}
