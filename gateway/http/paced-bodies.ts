import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { WorkPerTurn } from '#http';
import { UntakenAnswers } from './untaken-answers.ts';

/** What is shorter takes no memory worth counting. */
const countedBytes = 16 * 1024;

/** Of one caller. */
const untakenBytes = 128 * 1024 * 1024;

/** Handing over a longer body in one go would keep everybody else waiting while the system copies it. */
const largeBytes = 256 * 1024;
const sliceBytes = 64 * 1024;
const bytesPerTurn = 8 * sliceBytes;

/**
 * Sends large bodies slice by slice, and of all of them together only so much in one turn of the event loop; those that
 * one caller does not take are bounded.
 */
export function paceLargeBodies(app: FastifyInstance): void {
  const work = new WorkPerTurn(bytesPerTurn);
  const untaken = new UntakenAnswers(untakenBytes);

  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.method === 'HEAD' || !isLonger(payload, countedBytes)) return done(null, payload);
    // What nobody has to show a key for is the same memory for all who ask.
    if (request.caller) untaken.add(request.caller.keyId, reply.raw, payload.length);
    if (!isLonger(payload, largeBytes)) return done(null, payload);
    reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(slicesOf(payload, work), { objectMode: false }));
  });
}

function isLonger(payload: unknown, bytes: number): payload is string | Buffer {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > bytes;
}

async function* slicesOf(body: string | Buffer, work: WorkPerTurn): AsyncGenerator<Buffer> {
  for (let start = 0, end: number; start < body.length; start = end) {
    await work.begin(sliceBytes);
    end = start + sliceBytes;
    if (typeof body !== 'string') {
      yield body.subarray(start, end);
      continue;
    }
    // Two characters that are one in UTF-8 go together.
    if (/[\ud800-\udbff]/.test(body.charAt(end - 1))) end += 1;
    yield Buffer.from(body.slice(start, end));
  }
}
