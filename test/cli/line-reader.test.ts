import { describe, expect, test } from 'vitest';
import { LineReader } from '../../cli/import/line-reader.ts';

const mebibyte = 1_048_576;

async function* bytesOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function read(...chunks: (string | Uint8Array)[]) {
  const reader = new LineReader(bytesOf(...chunks));
  return { lines: await Array.fromAsync(reader) };
}

describe('lines', () => {
  test.each([
    ['end with a line feed', ['a\nb\n'], ['a', 'b']],
    ['may end with CRLF', ['a\r\nb\r\n'], ['a', 'b']],
    ['need no line feed at the end of the input', ['a\nb'], ['a', 'b']],
    ['may be empty, and are returned', ['a\n\n\nb'], ['a', '', '', 'b']],
    ['may be split anywhere between chunks', ['a', 'b\r', '\nc', 'd', '\n'], ['ab', 'cd']],
    ['aren’t found in an empty input', [''], []],
  ])('%s', async (_, chunks, expected) => {
    expect((await read(...chunks)).lines).toEqual(expected);
  });

  test('a byte order mark is removed only at the start', async () => {
    const { lines } = await read('\ufeffa\n', '\ufeffb\n');
    expect(lines).toEqual(['a', '\ufeffb']);
  });

  test('a character may be split between chunks', async () => {
    const bytes = Buffer.from('é€😀\n');
    expect((await read(...[...bytes].map((byte) => Uint8Array.of(byte)))).lines).toEqual(['é€😀']);
  });
});

describe('a line', () => {
  test('is returned as a problem if it has invalid UTF-8, and its neighbours are read', async () => {
    const { lines } = await read('{}\n', Uint8Array.of(0xff, 0xfe, 0x0a), '{}\n');
    expect(lines).toEqual(['{}', { line: 2, reason: 'is not valid UTF-8' }, '{}']);
  });

  test('is returned as a problem if it is longer than 1 MiB, in chunks of any size, and its neighbours are read', async () => {
    const { lines } = await read('a\n', 'x'.repeat(mebibyte), 'x', 'x\nb\n');
    expect(lines).toEqual(['a', { line: 2, reason: 'is longer than 1 MiB' }, 'b']);
  });

  test('is accepted if it is exactly 1 MiB long', async () => {
    const { lines } = await read('x'.repeat(mebibyte), '\n');
    expect(lines).toEqual(['x'.repeat(mebibyte)]);
  });
});
