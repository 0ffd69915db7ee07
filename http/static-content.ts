import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { matchesEtag } from './etag.ts';

/** What is the same for everyone who asks. */
export interface StaticContent {
  readonly type: string;
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

// Node compresses in threads of its own, so requests go on meanwhile. Brotli's best quality would take some ten seconds
// for the largest page, and saves little.
const encoders = {
  br: (bytes: Buffer) =>
    compressBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => compressGzip(bytes),
  identity: async (bytes: Buffer) => bytes,
} as const;
type Encoding = keyof typeof encoders;
const encodings = Object.keys(encoders) as Encoding[];

/**
 * Serves what is the same for everyone: made when it is first asked for, encoded once in each way, and then the same
 * bytes for all connections, however slowly they are taken. It is made anew when its version is another.
 */
export function serveStatic(
  make: () => StaticContent | Promise<StaticContent>,
  version: () => string = () => '',
) {
  let current: ReturnType<typeof keep> | undefined;

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (current?.version !== version()) current = keep(make, version());
    const { content, encoded } = current;
    const encoding = chooseEncoding(request);
    const { headers, type } = await content();
    const { bytes, etag } = await encoded[encoding]();
    reply.headers({ 'cache-control': 'no-cache', vary: 'Accept-Encoding', ...headers, etag });
    if (matchesEtag(etag, request.headers['if-none-match'])) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.type(type).send(bytes);
  };
}

function keep(make: () => StaticContent | Promise<StaticContent>, version: string) {
  const content = once(async () => make());
  const encode = (encoding: Encoding) =>
    once(async () => {
      const bytes = await encoders[encoding]((await content()).bytes);
      return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
    });
  const encoded = { br: encode('br'), gzip: encode('gzip'), identity: encode('identity') };
  return { version, content, encoded };
}

/** Carried out at the first call; one that fails is tried again by the next. */
function once<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= run().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}

/** Of what the caller likes equally, the smallest; who accepts nothing that there is gets it as it is. */
function chooseEncoding({ headers }: FastifyRequest): Encoding {
  // The published types lack the second parameter.
  const negotiator = new Negotiator({ headers }) as unknown as {
    encodings(available: readonly string[], options: { preferred: readonly string[] }): Encoding[];
  };
  return negotiator.encodings(encodings, { preferred: encodings })[0] ?? 'identity';
}
