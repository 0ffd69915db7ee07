import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, type EncodedBody, encodeBody, sendTagged } from './encoding.ts';

/** Content that is the same for every caller. */
export interface StaticContent {
  readonly type: string;
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Kept {
  readonly version: string;
  readonly content: Promise<StaticContent>;
  readonly bodies: Map<EncodedBody['encoding'], Promise<EncodedBody>>;
}

/**
 * Serves what is the same for everyone: made when it is first asked for, encoded once in each way, and then the same
 * bytes for all connections, however slowly they are taken. It is made anew when its version is another, or when
 * something went wrong.
 */
export function serveStatic(
  make: () => StaticContent | Promise<StaticContent>,
  version: () => string = () => '',
) {
  let kept: Kept | undefined;

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (kept?.version !== version()) {
      kept = { version: version(), content: Promise.try(make), bodies: new Map() };
    }
    const { content, bodies } = kept;
    try {
      const { type, headers, bytes } = await content;
      const body = await bodies.getOrInsertComputed(acceptedEncoding(request).long, (encoding) =>
        encodeBody(bytes, encoding, 'thorough'),
      );
      reply.headers({ 'cache-control': 'no-cache', ...headers }).type(type);
      return sendTagged(request, reply, body);
    } catch (error) {
      kept = undefined;
      throw error;
    }
  };
}
