import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Reading } from '#core';
import { DataCache, limits, SlowLane } from '#http';
import { readingOf } from '../support/loading-reads.ts';

const mebibyte = 1024 * 1024;

/** Readings of which the test sees how often they are loaded, each time with another value. */
function createDesk(budgetBytes = mebibyte) {
  const cache = new DataCache(budgetBytes, new SlowLane(limits.lanes.histories));
  const loaded: string[] = [];
  function read(
    name: string,
    {
      form = 'form',
      key = 'key_1',
      bytes = 100,
      ...more
    }: Partial<Reading<unknown>> & {
      form?: string;
      key?: string;
      bytes?: number;
      wait?: Promise<unknown>;
    } = {},
  ): Promise<string> {
    const reading = readingOf<unknown>(null, { name, ...more });
    return cache.get(reading, form, key, async () => {
      const value = `${name} ${loaded.push(name)}`;
      await more.wait;
      return { value, bytes };
    });
  }
  return { cache, loaded, read };
}

/** Lets everything go on that waits for nothing else. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}

test('what was made once is not made again', async () => {
  const { loaded, read } = createDesk();
  expect(await read('a')).toBe('a 1');
  expect(await read('a')).toBe('a 1');
  expect(loaded).toEqual(['a']);
});

test('another form of the same data is another thing', async () => {
  const { read } = createDesk();
  expect(await read('a', { form: 'br' })).toBe('a 1');
  expect(await read('a', { form: 'gzip' })).toBe('a 2');
  expect(await read('a', { form: 'br' })).toBe('a 1');
});

test('what is asked for while it is made is not made again', async () => {
  const { loaded, read } = createDesk();
  expect(await Promise.all([read('a'), read('a', { key: 'key_2' })])).toEqual(['a 1', 'a 1']);
  expect(loaded).toHaveLength(1);
});

test('a failure is told to all who wait for it, and the next one tries again', async () => {
  const { loaded, read } = createDesk();
  const failing = Promise.reject(new Error('lost'));
  const outcomes = await Promise.allSettled([read('a', { wait: failing }), read('a')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(loaded).toEqual(['a']);
  expect(await read('a')).toBe('a 2');
});

test('what was not asked for longest goes first once there is too much', async () => {
  const { loaded, read } = createDesk(2_000);
  for (const name of ['a', 'b', 'a', 'c']) await read(name);
  loaded.length = 0;
  for (const name of ['a', 'b']) await read(name);
  expect(loaded).toEqual(['b']);
});

test('what is larger than all there is room for is answered, and made each time', async () => {
  const { read } = createDesk(2_000);
  expect(await read('a', { bytes: 10_000 })).toBe('a 1');
  expect(await read('a', { bytes: 10_000 })).toBe('a 2');
});

test('what has no room any more when it is made is still an answer', async () => {
  const { read } = createDesk(2_000);
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = read('slow', { wait: promise });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await read(name);
  resolve();
  expect(await slow).toBe('slow 1');
});

test('a name takes room as well', async () => {
  const { loaded, read } = createDesk(4_000);
  await read('a');
  for (const name of ['b', 'c']) await read(name.repeat(1_000));
  await read('a');
  expect(loaded.filter((name) => name === 'a')).toHaveLength(2);
});

test('what can be asked for in any number of ways pushes nothing else out', async () => {
  const { loaded, read } = createDesk(100_000);
  const whole = Array.from({ length: 100 }, (_, index) => `whole ${index}`);
  for (const name of whole) await read(name);
  for (let index = 0; index < 1_000; index += 1)
    await read(`from ${index}`, { isOneOfMany: true, bytes: 1_000 });
  loaded.length = 0;
  for (const name of whole) await read(name);
  expect(loaded).toEqual([]);
  await read('from 999', { isOneOfMany: true });
  expect(loaded).toEqual([]);
});

test('only who makes a history rests after it, not who finds it made meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { read } = createDesk();
  const found: string[] = [];
  for (const key of ['key_1', 'key_2', 'key_3', 'key_4'])
    void read('a', { resource: 'metric_history', bytes: 500_000, key }).then((made) =>
      found.push(made),
    );
  await settle();
  expect(found).toEqual(['a 1']);
  await vi.advanceTimersByTimeAsync(10);
  for (let turn = 0; turn < 4; turn += 1) await settle();
  expect(found).toEqual(['a 1', 'a 1', 'a 1', 'a 1']);
});

test('the histories of one key wait for each other, and nobody else waits for them for long', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { loaded, read } = createDesk();
  const { promise, resolve } = Promise.withResolvers<void>();
  const history = { resource: 'metric_history', wait: promise } as const;
  const answers = ['a', 'b', 'c', 'd'].map((name) => read(name, history));
  await settle();
  expect(loaded).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(50);
  expect(loaded).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(loaded).toEqual(['a', 'b']);
  // Even one for which the other key waits in vain so far.
  const mine = read('d', { resource: 'metric_history', key: 'key_2' });
  expect(await mine).toBe('d 3');
  expect(await read('e')).toBe('e 4');
  resolve();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await Promise.all(answers)).toEqual(['a 1', 'b 2', 'c 5', 'd 3']);
});
