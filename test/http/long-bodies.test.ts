import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type FastifyReply, fastify } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { InvestorKeyCaller } from '#core';
import { toBody } from '#http';
import { CompressedBytes } from '../../http/compressed-bytes.ts';

const app = fastify();
/** Longer than one slice. Characters of one to four bytes cross the ends of the slices. */
const text = '€a😀é'.repeat(150_001);
app.decorateRequest('caller', null);
app.addHook('onRequest', async (request) => {
  const { 'x-key': keyId } = request.headers;
  if (keyId !== undefined) request.caller = { credentialId: keyId } as InvestorKeyCaller;
});
app.get('/text', (_request, reply) => reply.type('text/plain; charset=utf-8').send(text));
app.get('/bytes', (_request, reply) => reply.type('text/plain').send(Buffer.from(text)));
app.get('/pieces', (_request, reply) =>
  reply.type('text/plain').send(toBody(reply, [Buffer.from(text.slice(0, 5)), text.slice(5)])),
);
const compressed = await CompressedBytes.of(Buffer.from(text.slice(5)));
app.get('/compressed', (_request, reply) =>
  reply.type('text/plain').send(toBody(reply, [text.slice(0, 5), compressed])),
);
app.get('/short', (_request, reply) => reply.type('text/plain').send('short'));

it.each(['text', 'bytes', 'pieces', 'compressed'])(
  'a large body (%s) arrives completely, with its length in the headers',
  async (kind) => {
    const answer = await app.inject(`/${kind}`);
    expect(answer.payload === text).toBe(true);
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  },
);

it('the large bodies of several callers are decompressed in turns', async () => {
  const sent: string[] = [];
  const ask = async (key: string) => {
    await app.inject({ url: '/compressed', headers: { 'x-key': key } });
    sent.push(key);
  };
  await Promise.all([...Array.from({ length: 12 }, () => ask('key_1')), ask('key_2')]);
  expect(sent.indexOf('key_2')).toBeLessThan(6);
});

it.each(['text', 'pieces', 'compressed'])(
  'HEAD returns the length of a large body (%s)',
  async (kind) => {
    const answer = await app.inject({ method: 'HEAD', url: `/${kind}` });
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(answer.payload).toBe('');
  },
);

it('short pieces of a body are joined before they are sent', () => {
  const reply = {} as FastifyReply;
  expect(String(toBody(reply, ['a', Buffer.from('b'), 'c']))).toBe('abc');
});

it('a short body is sent unchanged', async () => {
  expect((await app.inject('/short')).payload).toBe('short');
});

it('a compressed body isn’t decompressed to answer HEAD', async () => {
  const slices = vi.spyOn(CompressedBytes.prototype, 'slices');
  onTestFinished(() => slices.mockRestore());
  await app.inject({ method: 'HEAD', url: '/compressed' });
  expect(slices).not.toHaveBeenCalled();
});

it('the decompression of a body stops when the client disconnects', async () => {
  const slices = vi.spyOn(CompressedBytes.prototype, 'slices');
  onTestFinished(() => slices.mockRestore());
  const reply = { header: () => reply, request: { method: 'GET' } } as unknown as FastifyReply;
  const body = toBody(reply, [compressed]) as Readable;
  await once(body, 'readable');
  const source = slices.mock.results[0]?.value as Readable;
  expect(source.readableEnded).toBe(false);
  body.destroy();
  await new Promise((closed) => source.once('close', closed));
  expect(source.readableEnded).toBe(false);
});
