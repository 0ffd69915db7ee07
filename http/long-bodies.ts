import { PassThrough, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CompressedBytes } from './compressed-bytes.ts';
import { EventLoopThrottle } from './event-loop-throttle.ts';
import { FairSemaphore } from './fair-semaphore.ts';
import { ResponseBufferLimit } from './response-buffer-limit.ts';

/** The operating system copies what is written, so many longer bodies at once would block the event loop. */
export const longBytes = 256 * 1024;
const bytesPerTurn = 4 * longBytes;

/** A decompressed slice is memory of its own for each reader. */
const decompressedBytes = 64 * 1024;

/** As many as zlib has threads. */
const slicesAtOnce = 4;
const patienceMilliseconds = 250;

/** A shorter body takes no memory worth counting. */
const countedBytes = 16 * 1024;

const unreadBytesOfOneCaller = 128 * 1024 * 1024;

/** Of a body that is kept compressed, on the way to its reader; what decompresses it is counted as some of them. */
const slicesOnTheWay = 4;

/** What a body that is sent in slices holds until its reader has taken all of it. */
const heldBytes = new WeakMap<Readable, number>();

// All servers of a process share its event loop and its memory.
const writes = new EventLoopThrottle(bytesPerTurn);
// What the threads of zlib are given they do in order, whoever it is for.
const decompressing = new FairSemaphore(slicesAtOnce, patienceMilliseconds);
const buffers = new ResponseBufferLimit(unreadBytesOfOneCaller);

/**
 * Writes only so many bytes of long bodies in one turn of the event loop, the callers taking turns, and bounds what a
 * caller leaves unread.
 */
export function throttleLongBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    const length = isWhole ? payload.length : (heldBytes.get(payload as Readable) ?? 0);
    if (request.method === 'HEAD' || length <= countedBytes) return done(null, payload);
    // What is open to everyone is the same memory for all who ask.
    if (request.caller) buffers.add(request.caller.credentialId, reply.raw, length);
    if (length <= longBytes || !isWhole) return done(null, payload);
    writes.begin(length, request.caller?.credentialId).then(() => done(null, payload), done);
  });
}

/** A body of these pieces. Several long ones are sent in slices, because joining them would copy what others share. */
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
  const slices = method === 'HEAD' ? [] : throttledSlices(buffers, caller?.credentialId);
  const body = Readable.from(slices, { objectMode: false });
  // Fastify ends the connection without a word; a reader that has left is no failure.
  body.on('error', (err) => reply.log.error({ err }, 'a body could not be sent to its end'));
  heldBytes.set(
    body,
    buffers.reduce((sum, piece) => sum + heldBytesOf(piece), 0),
  );
  return body;
}

const heldBytesOf = (piece: Buffer | CompressedBytes): number =>
  Buffer.isBuffer(piece) ? piece.length : piece.keptLength + slicesOnTheWay * decompressedBytes;

async function* throttledSlices(
  pieces: readonly (Buffer | CompressedBytes)[],
  key = '',
): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    let left = piece.length;
    let granted = 0;
    const waitForTurn = async () => {
      granted = Math.min(left, longBytes);
      await writes.begin(granted, key);
    };
    // A turn comes before its slices are made, because decompressing takes longer than writing.
    await waitForTurn();
    for await (const slice of slicesOf(piece, key)) {
      yield slice;
      left -= slice.length;
      granted -= slice.length;
      if (left > 0 && granted <= 0) await waitForTurn();
    }
  }
}

const slicesOf = (
  piece: Buffer | CompressedBytes,
  key: string,
): Iterable<Buffer> | AsyncIterable<Buffer> =>
  Buffer.isBuffer(piece) ? slicesOfBytes(piece) : decompressedSlices(piece, key);

async function* decompressedSlices(piece: CompressedBytes, key: string): AsyncGenerator<Buffer> {
  let slices: AsyncIterator<Buffer> | undefined;
  const next = () => {
    // It begins to decompress as soon as it is there.
    slices ??= piece.slices(decompressedBytes)[Symbol.asyncIterator]();
    return slices.next();
  };
  try {
    while (true) {
      const { value, done } = await decompressing.within(key, next);
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
