import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { handOver, untaken } from './long-bodies.ts';

/**
 * Sends an answer piece by piece, as each piece is made. Nobody waits for a reader who is slow: the pieces that it has
 * not taken count among its untaken answers, and the request has left its place when the last piece is made.
 */
export function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: AsyncIterable<Uint8Array>,
): FastifyReply {
  const body = new PassThrough();
  void writePieces(request, reply, pieces, body);
  return reply.send(body);
}

async function writePieces(
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: AsyncIterable<Uint8Array>,
  body: PassThrough,
): Promise<void> {
  const { keyId = '' } = request.caller ?? {};
  try {
    for await (const piece of pieces) {
      await handOver.begin(piece.length);
      // Leaving the loop ends the source.
      if (body.destroyed) return;
      untaken.add(keyId, reply.raw, piece.length);
      body.write(piece, () => untaken.take(keyId, reply.raw, piece.length));
    }
    body.end();
  } catch (error) {
    body.destroy(error as Error);
  } finally {
    request.leave?.();
  }
}
