import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { paceLargeBodies } from '../../gateway/http/paced-bodies.ts';

const app = fastify();
paceLargeBodies(app);
/** Longer than a slice, with characters of one to four bytes that lie across the ends of slices. */
const text = '€a😀é'.repeat(150_001);
app.get('/text', (_request, reply) => reply.type('text/plain; charset=utf-8').send(text));
app.get('/bytes', (_request, reply) => reply.type('text/plain').send(Buffer.from(text)));
app.get('/short', (_request, reply) => reply.type('text/plain').send('short'));

it.each(['text', 'bytes'])(
  'a large body of %s arrives whole, and its length is told',
  async (kind) => {
    const answer = await app.inject(`/${kind}`);
    expect(answer.payload === text).toBe(true);
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  },
);

it('HEAD tells the length of a large body', async () => {
  const answer = await app.inject({ method: 'HEAD', url: '/text' });
  expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  expect(answer.payload).toBe('');
});

it('a short body goes out as it is', async () => {
  expect((await app.inject('/short')).payload).toBe('short');
});
