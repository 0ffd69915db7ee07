import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Progress, renderProgress } from '../../cli/import/progress.ts';

test.each([
  [0, 2_000_000, '[░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░]   0 %  0.0 of 2.0 MB'],
  [1_000_000, 2_000_000, '[███████████████░░░░░░░░░░░░░░░]  50 %  1.0 of 2.0 MB'],
  [2_500_000, 2_000_000, '[██████████████████████████████] 100 %  2.5 of 2.0 MB'],
  [1_000_000, null, '1.0 MB read'],
])('%d bytes of %s show as %s', (bytes, total, bar) => {
  expect(renderProgress(bytes, total)).toBe(bar);
});

async function countThrough(stderr: PassThrough): Promise<string> {
  const progress = new Progress(stderr, 4);
  async function* chunks() {
    yield Buffer.from('ab');
    yield Buffer.from('cd');
  }
  for await (const _ of progress.count(chunks()));
  progress.clear();
  return (await stderr.end().toArray()).join('');
}

test('a terminal sees the bar', async () => {
  expect(await countThrough(Object.assign(new PassThrough(), { isTTY: true }))).toContain(' %  ');
});

test('what is not a terminal sees nothing', async () => {
  expect(await countThrough(new PassThrough())).toBe('');
});
