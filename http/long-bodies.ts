import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { EventLoopThrottle } from './event-loop-throttle.ts';
import { UntakenAnswers } from './untaken-answers.ts';

/** The system copies what it is handed: many longer bodies in one go would keep everybody else waiting. */
const longBytes = 256 * 1024;
const sliceBytes = 256 * 1024;
const bytesPerTurn = 4 * sliceBytes;

/** What is shorter takes no memory worth counting. */
const countedBytes = 16 * 1024;

/** Of one caller. */
const untakenBytes = 128 * 1024 * 1024;

/** The event loop is one, so all bodies share its turns. */
export const handOver = new EventLoopThrottle(bytesPerTurn);

export const untaken = new UntakenAnswers(untakenBytes);

/**
 * Hands long bodies to the system one after the other, only so much of them in one turn of the event loop; those that
 * one caller does not take are bounded.
 */
export function paceLongBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const length = lengthOf(payload) ?? Number(reply.getHeader('content-length') ?? 0);
    if (request.method === 'HEAD' || length <= countedBytes) return done(null, payload);
    // What nobody has to show a key for is the same memory for all who ask.
    if (request.caller) untaken.add(request.caller.keyId, reply.raw, length);
    if (length <= longBytes || payload instanceof Readable) return done(null, payload);
    handOver.begin(length).then(() => done(null, payload), done);
  });
}

/** A body of these pieces, which are sent one by one if they are long: putting them together would copy what others share. */
export function toBody(
  reply: FastifyReply,
  pieces: readonly (string | Buffer)[],
): Buffer | Readable {
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  if (length > longBytes) {
    reply.header('content-length', length);
    return Readable.from(slicesOf(pieces), { objectMode: false });
  }
  return Buffer.concat(
    pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : Buffer.from(piece))),
  );
}

function lengthOf(payload: unknown): number | undefined {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : undefined;
}

async function* slicesOf(pieces: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    for (let start = 0, end: number; start < piece.length; start = end) {
      end = Math.min(start + sliceBytes, piece.length);
      await handOver.begin(end - start);
      if (typeof piece !== 'string') {
        yield piece.subarray(start, end);
        continue;
      }
      // Two characters that are one in UTF-8 go together.
      if (/[\ud800-\udbff]/.test(piece.charAt(end - 1))) end += 1;
      yield Buffer.from(piece.slice(start, end));
    }
  }
}
