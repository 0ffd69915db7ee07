import fastify from 'fastify';
import { expect, it } from 'vitest';
import { ProtocolError } from '#http';
import { parseFileForms, uploadedFile } from '../../desk/form.ts';
import { closedAfterAll } from '../support/closed.ts';

const app = await closedAfterAll(fastify({ bodyLimit: 1_048_576 }));
parseFileForms(app);
app.setErrorHandler((error, _, reply) =>
  reply.code(error instanceof ProtocolError && error.code === 'malformed_json' ? 400 : 500).send(),
);
app.post('/', (request) => ({ fields: request.body, bytes: uploadedFile(request)?.bytes.length }));

const part = (head: string, body: string) => `--x\r\n${head}\r\n\r\n${body}\r\n`;
const field = (name: string) => part(`content-disposition: form-data; name="${name}"`, name);
const file = (more = '', bytes = 'key') =>
  part(`content-disposition: form-data; name="file"; filename="a.csv"${more}`, bytes);

async function send(parts: string, boundary = 'x') {
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const { statusCode, body } = await app.inject({
    ...{ method: 'POST', url: '/', headers, payload: `${parts}--x--\r\n` },
  });
  return statusCode === 200 ? JSON.parse(body) : statusCode;
}

it.each(['x', '"x"', 'x; charset=utf-8'])(
  'the fields and the file of a form are read with the boundary %s',
  async (boundary) => {
    const form = field('a') + field('b') + file('', 'k'.repeat(100_000));
    expect(await send(form, boundary)).toEqual({ fields: { a: 'a', b: 'b' }, bytes: 100_000 });
  },
);

it('a form with too many parts is refused', async () => {
  expect(await send(field('a').repeat(17))).toBe(400);
  expect(await send(file().repeat(10_000))).toBe(400);
});

it('a form is refused if the headers of a part are too long', async () => {
  expect(await send(file(`\r\n${'x-a: b\r\n'.repeat(3_000)}x-c: d`))).toBe(400);
  expect(await send(file(`; a="${'b'.repeat(20_000)}"`))).toBe(400);
});

it.each(['', '""', '"x'])('a form with the boundary %j is refused', async (boundary) => {
  expect(await send(field('a'), boundary)).toBe(400);
});
