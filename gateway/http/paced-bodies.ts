import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { WorkPerTurn } from '#http';

/** Handing over a longer body in one go would keep everybody else waiting while the system copies it. */
const largeBytes = 256 * 1024;
const sliceBytes = 64 * 1024;
const bytesPerTurn = 8 * sliceBytes;

/** Sends large bodies slice by slice, and of all of them together only so much in one turn of the event loop. */
export function paceLargeBodies(app: FastifyInstance): void {
  const work = new WorkPerTurn(bytesPerTurn);

  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.method === 'HEAD' || !isLarge(payload)) return done(null, payload);
    reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(slicesOf(payload, work), { objectMode: false }));
  });
}

function isLarge(payload: unknown): payload is string | Buffer {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > largeBytes;
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
