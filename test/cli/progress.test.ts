import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Progress, renderProgress } from '../../cli/import/progress.ts';

test.each([
  [0, 2_000_000, 0, '[░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░]   0 %  0.0 of 2.0 MB'],
  [
    1_000_000,
    2_000_000,
    2_000,
    '[███████████████░░░░░░░░░░░░░░░]  50 %  1.0 of 2.0 MB  0.5 MB/s  2 s left',
  ],
  [
    1_000_000,
    101_000_000,
    2_000,
    '[░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░]   0 %  1.0 of 101.0 MB  0.5 MB/s  3 min 20 s left',
  ],
  [
    1_000_000,
    3_751_000_000,
    2_000,
    '[░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░]   0 %  1.0 of 3751.0 MB  0.5 MB/s  2 h 05 min left',
  ],
  [
    2_500_000,
    2_000_000,
    2_500,
    '[██████████████████████████████] 100 %  2.5 of 2.0 MB  1.0 MB/s  0 s left',
  ],
  [1_000_000, null, 500, '1.0 MB read  2.0 MB/s'],
])('%d bytes of %s after %d ms are shown as %s', (bytes, total, milliseconds, bar) => {
  expect(renderProgress(bytes, total, milliseconds)).toBe(bar);
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

test('the progress bar is shown on a terminal', async () => {
  expect(await countThrough(Object.assign(new PassThrough(), { isTTY: true }))).toContain(' %  ');
});

test('no progress is shown on a stream that isn’t a terminal', async () => {
  expect(await countThrough(new PassThrough())).toBe('');
});
