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
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    reply.header('content-length', bytes.length);
    done(null, Readable.from(slicesOf(bytes, work), { objectMode: false }));
  });
}

function isLarge(payload: unknown): payload is string | Buffer {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > largeBytes;
}

async function* slicesOf(bytes: Buffer, work: WorkPerTurn): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    await work.begin(sliceBytes);
    yield bytes.subarray(start, start + sliceBytes);
  }
}
