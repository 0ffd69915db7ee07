import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CompressedBytes } from './compressed-bytes.ts';
import { toBody } from './long-bodies.ts';

/** Bytes as they are sent, whether or not they are kept compressed until then. */
export interface EncodedBody {
  readonly bytes: Buffer | CompressedBytes;
  readonly encoding: Encoding;
  /** Strong, in its quotes; of the bytes that are sent. */
  readonly etag: string;
  /** Its media type; absent: JSON. */
  readonly type?: string;
}

export function isEncodedBody(value: object): value is EncodedBody {
  return 'bytes' in value && 'etag' in value;
}

// When a caller prefers none, the first it accepts is taken.
const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** What a caller accepts: for what is worth compressing, and for what is too short for that. */
export interface AcceptedEncoding {
  readonly long: Encoding;
  readonly short: Encoding;
}

export const identityAlone: AcceptedEncoding = { long: 'identity', short: 'identity' };

/** A caller that accepts none of the encodings gets the body without one. */
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

/** How hard to try: what is asked for again and again for as long as the process lives is worth more time. */
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

/** Sends a body with its tag, or says that the caller has it already. */
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

/** Whether the caller says that it has the body with this strong tag already (RFC 9110, 13.1.2). */
function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Tells the caches on the way what the answer depends on, beside what was told before. */
export function addVary(reply: FastifyReply, ...fields: readonly string[]): void {
  const told = reply.getHeader('vary');
  if (told === undefined) {
    reply.header('vary', fields.join(', '));
    return;
  }
  const known = String(told).toLowerCase().split(/ *, */);
  const further = fields.filter((field) => !known.includes(field.toLowerCase()));
  if (further.length > 0) reply.header('vary', [told, ...further].join(', '));
}
