import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CompressedBytes } from './compressed-bytes.ts';
import { hasRoom } from './event-stream.ts';
import { longWorkLimit } from './limits/index.ts';

/** The size limit of one write. The operating system copies the bytes, and a longer copy blocks the event loop. */
export const longBytes = 256 * 1024;

/** The size limit of a decompressed slice. Each running response keeps one slice in memory. */
const decompressedBytes = 64 * 1024;

/**
 * Creates the body of a response. Joins short pieces. Sends long pieces in slices instead, because several responses
 * share the memory of these pieces, and joining would copy it.
 */
export function toBody(
  reply: FastifyReply,
  pieces: readonly (string | Buffer | CompressedBytes)[],
): Buffer | Readable {
  const buffers = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  const [first] = buffers;
  if (buffers.length === 1 && Buffer.isBuffer(first)) return first;
  const length = buffers.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= longBytes && buffers.every(Buffer.isBuffer)) return Buffer.concat(buffers, length);
  reply.header('content-length', length);
  const { method, caller } = reply.request;
  const slices = method === 'HEAD' ? [] : slicesOf(buffers, caller?.credentialId);
  const body = Readable.from(slices, { objectMode: false });
  // Fastify doesn't log errors of this body. A client that disconnects causes no error.
  body.on('error', (err) =>
    reply.log.error({ err }, 'a response body could not be sent completely'),
  );
  return body;
}

async function* slicesOf(
  pieces: readonly (Buffer | CompressedBytes)[],
  caller = '',
): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield* slicesOfBytes(piece);
    else yield* decompressedSlices(piece, caller);
  }
}

async function* decompressedSlices(piece: CompressedBytes, caller: string): AsyncGenerator<Buffer> {
  let slices: AsyncIterator<Buffer> | undefined;
  const next = () => {
    // Creates the iterator only when it is the caller's turn, because a new iterator starts to decompress at once.
    slices ??= piece.slices(decompressedBytes)[Symbol.asyncIterator]();
    return slices.next();
  };
  try {
    while (true) {
      // Callers take turns. Otherwise zlib's threads would work in order of arrival, and one caller could delay others.
      const { value, done } = await longWorkLimit.run(caller, next);
      if (done === true) return;
      yield value;
    }
  } finally {
    await slices?.return?.();
  }
}

function* slicesOfBytes(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += longBytes) {
    yield bytes.subarray(start, start + longBytes);
  }
}

/** Sends each piece as soon as it is ready. Releases the permits of the request after the last piece. */
export function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: AsyncIterable<Uint8Array>,
): FastifyReply {
  const body = new PassThrough();
  void writePieces(request, pieces, body);
  return reply.send(body);
}

async function writePieces(
  request: FastifyRequest,
  pieces: AsyncIterable<Uint8Array>,
  body: PassThrough,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      // Ending this loop also closes the source.
      if (body.destroyed) return;
      if (!body.write(piece)) await hasRoom(body);
    }
    body.end();
  } catch (error) {
    body.destroy(error as Error);
  } finally {
    request.releasePermits?.();
  }
}
