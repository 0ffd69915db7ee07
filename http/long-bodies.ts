import { PassThrough, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EventLoopThrottle } from './event-loop-throttle.ts';
import { ResponseBufferLimit } from './response-buffer-limit.ts';

/** The operating system copies what is written, so many longer bodies at once would block the event loop. */
const longBytes = 256 * 1024;
const bytesPerTurn = 4 * longBytes;

/** A shorter body takes no memory worth counting. */
const countedBytes = 16 * 1024;

const unreadBytesOfOneCaller = 128 * 1024 * 1024;

// All servers of a process share its event loop and its memory.
const writes = new EventLoopThrottle(bytesPerTurn);
const buffers = new ResponseBufferLimit(unreadBytesOfOneCaller);

/**
 * Writes only so many bytes of long bodies in one turn of the event loop, the callers taking turns, and bounds what a
 * caller leaves unread.
 */
export function throttleLongBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    const length = isWhole ? payload.length : Number(reply.getHeader('content-length') ?? 0);
    if (request.method === 'HEAD' || length <= countedBytes) return done(null, payload);
    // What is open to everyone is the same memory for all who ask.
    if (request.caller) buffers.add(request.caller.credentialId, reply.raw, length);
    if (length <= longBytes || !isWhole) return done(null, payload);
    writes.begin(length, request.caller?.credentialId).then(() => done(null, payload), done);
  });
}

/** A body of these pieces. A long one is sent in slices, because joining the pieces would copy what others share. */
export function toBody(
  reply: FastifyReply,
  pieces: readonly (string | Buffer)[],
): Buffer | Readable {
  const buffers = pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : Buffer.from(piece)));
  const length = buffers.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= longBytes) return Buffer.concat(buffers, length);
  reply.header('content-length', length);
  const slices = slicesOf(buffers, reply.request.caller?.credentialId);
  return Readable.from(slices, { objectMode: false });
}

async function* slicesOf(pieces: readonly Buffer[], key?: string): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += longBytes) {
      const slice = piece.subarray(start, start + longBytes);
      await writes.begin(slice.length, key);
      yield slice;
    }
  }
}

/**
 * Sends each piece of a body as soon as it is made. The source does not wait for a slow reader: what the reader has not
 * taken counts as unread, and the request gives its permits back when the last piece is made.
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
  { raw }: FastifyReply,
  pieces: AsyncIterable<Uint8Array>,
  body: PassThrough,
): Promise<void> {
  const { credentialId: keyId = '' } = request.caller ?? {};
  try {
    for await (const piece of pieces) {
      await writes.begin(piece.length, keyId);
      // Leaving the loop ends the source.
      if (body.destroyed) return;
      buffers.add(keyId, raw, piece.length);
      body.write(piece, () => buffers.take(keyId, raw, piece.length));
    }
    body.end();
  } catch (error) {
    body.destroy(error as Error);
  } finally {
    request.releasePermits?.();
  }
}
