import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, type EncodedBody, encodeBody, sendTagged } from './encoding.ts';

export interface StaticContent {
  readonly type: string;
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

interface CachedContent {
  readonly version: string;
  readonly content: Promise<StaticContent>;
  readonly bodies: Map<EncodedBody['encoding'], Promise<EncodedBody>>;
}

/**
 * Serves content that is the same for every caller. Calls `make` on the first request, when `version` changes, and
 * after a failure. Compresses the content once per encoding.
 */
export function serveStatic(
  make: () => StaticContent | Promise<StaticContent>,
  version: () => string = () => '',
) {
  let cached: CachedContent | undefined;

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (cached?.version !== version()) {
      cached = { version: version(), content: Promise.try(make), bodies: new Map() };
    }
    const { content, bodies } = cached;
    try {
      const { type, headers, bytes } = await content;
      const body = await bodies.getOrInsertComputed(acceptedEncoding(request).long, (encoding) =>
        encodeBody(bytes, encoding, 'thorough'),
      );
      reply.headers({ 'cache-control': 'no-cache', ...headers }).type(type);
      return sendTagged(request, reply, body);
    } catch (error) {
      cached = undefined;
      throw error;
    }
  };
}
