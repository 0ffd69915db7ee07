import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { writeTogether } from '../../gateway/logs/log-lines.ts';

function createLines() {
  const pieces: string[] = [];
  return { pieces, lines: writeTogether({ write: (piece) => pieces.push(piece) }) };
}

test('lines from one turn of the event loop are written together, in order', async () => {
  const { pieces, lines } = createLines();
  for (const line of ['a\n', 'b\n', 'c\n']) lines.write(line);
  expect(pieces).toEqual([]);
  await nextTurn();
  expect(pieces).toEqual(['a\nb\nc\n']);
  lines.write('d\n');
  await nextTurn();
  expect(pieces).toEqual(['a\nb\nc\n', 'd\n']);
});

test('a piece contains whole lines, and isn’t longer than a pipe accepts at once', async () => {
  const { pieces, lines } = createLines();
  const line = `${'…'.repeat(333)}\n`;
  for (let count = 0; count < 10; count += 1) lines.write(line);
  await nextTurn();
  expect(pieces.map((piece) => Buffer.byteLength(piece))).toEqual([4_000, 4_000, 2_000]);
});

test('a line that is longer than a piece is written whole and alone', async () => {
  const { pieces, lines } = createLines();
  const long = `${'x'.repeat(5_000)}\n`;
  for (const line of ['a\n', long, 'b\n']) lines.write(line);
  await nextTurn();
  expect(pieces).toEqual(['a\n', long, 'b\n']);
});

test('waiting lines are written when flush is called, and before the process ends', () => {
  const { pieces, lines } = createLines();
  lines.write('a\n');
  lines.flush();
  expect(pieces).toEqual(['a\n']);
  lines.write('b\n');
  process.listeners('exit').at(-1)?.call(process, 0);
  expect(pieces).toEqual(['a\n', 'b\n']);
});

test('lines that can’t be written are lost, but later lines are written', () => {
  const pieces: string[] = [];
  let isFull = true;
  const lines = writeTogether({
    write(piece) {
      if (isFull) throw new Error('no space left');
      pieces.push(piece);
    },
  });
  lines.write('a\n');
  expect(() => lines.flushSync()).toThrow('no space left');
  isFull = false;
  lines.write('b\n');
  lines.flushSync();
  expect(pieces).toEqual(['b\n']);
});
