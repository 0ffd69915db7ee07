import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Reading } from '#core';
import { DataCache, LongWorkLimit, limits } from '#http';
import { readingOf } from '../support/loading-reads.ts';

const mebibyte = 1024 * 1024;

/** Readings that list each time they are loaded, and return a new value each time. */
function createCache(budgetBytes = mebibyte) {
  const cache = new DataCache(budgetBytes, new LongWorkLimit(limits.longWork.histories));
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
    return cache.getAfterCommit(reading, form, key, async () => {
      const value = `${name} ${loaded.push(name)}`;
      await more.wait;
      return { value, bytes };
    });
  }
  return { cache, loaded, read };
}

/** Work that waits for a promise of the test doesn't run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}

test('a cached response isn’t produced again', async () => {
  const { loaded, read } = createCache();
  expect(await read('a')).toBe('a 1');
  expect(await read('a')).toBe('a 1');
  expect(loaded).toEqual(['a']);
});

test('the same response with another compression is a separate entry', async () => {
  const { read } = createCache();
  expect(await read('a', { form: 'br' })).toBe('a 1');
  expect(await read('a', { form: 'gzip' })).toBe('a 2');
  expect(await read('a', { form: 'br' })).toBe('a 1');
});

test('a response that is being produced for one caller is shared with another caller', async () => {
  const { loaded, read } = createCache();
  expect(await Promise.all([read('a'), read('a', { key: 'key_2' })])).toEqual(['a 1', 'a 1']);
  expect(loaded).toHaveLength(1);
});

test('all callers that wait for a response get the error if it can’t be produced, and the next one tries again', async () => {
  const { loaded, read } = createCache();
  const failing = Promise.reject(new Error('lost'));
  const outcomes = await Promise.allSettled([read('a', { wait: failing }), read('a')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(loaded).toEqual(['a']);
  expect(await read('a')).toBe('a 2');
});

test('a full cache first removes the entry that was used least recently', async () => {
  const { loaded, read } = createCache(2_000);
  for (const name of ['a', 'b', 'a', 'c']) await read(name);
  loaded.length = 0;
  for (const name of ['a', 'b']) await read(name);
  expect(loaded).toEqual(['b']);
});

test('a response larger than the cache is returned, and produced again for the next caller', async () => {
  const { read } = createCache(2_000);
  expect(await read('a', { bytes: 10_000 })).toBe('a 1');
  expect(await read('a', { bytes: 10_000 })).toBe('a 2');
});

test('a response is returned even if the cache is full by then', async () => {
  const { read } = createCache(2_000);
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = read('slow', { wait: promise });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await read(name);
  resolve();
  expect(await slow).toBe('slow 1');
});

test('the name of an entry uses space in the cache, too', async () => {
  const { loaded, read } = createCache(4_000);
  await read('a');
  for (const name of ['b', 'c']) await read(name.repeat(1_000));
  await read('a');
  expect(loaded.filter((name) => name === 'a')).toHaveLength(2);
});

test('responses marked with hasUnlimitedVariants don’t displace other entries', async () => {
  const { loaded, read } = createCache(100_000);
  const whole = Array.from({ length: 100 }, (_, index) => `whole ${index}`);
  for (const name of whole) await read(name);
  for (let index = 0; index < 1_000; index += 1)
    await read(`from ${index}`, { hasUnlimitedVariants: true, bytes: 1_000 });
  loaded.length = 0;
  for (const name of whole) await read(name);
  expect(loaded).toEqual([]);
  await read('from 999', { hasUnlimitedVariants: true });
  expect(loaded).toEqual([]);
});

test('a metric history is shared at once, but a caller pauses after a history that had to be produced', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { read } = createCache();
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

test('a key’s next metric history waits for its previous one, but other reads and other keys don’t wait', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { loaded, read } = createCache();
  const { promise, resolve } = Promise.withResolvers<void>();
  const history = { resource: 'metric_history', wait: promise } as const;
  const answers = ['a', 'b', 'c', 'd'].map((name) => read(name, history));
  await settle();
  expect(loaded).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(50);
  expect(loaded).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(loaded).toEqual(['a', 'b']);
  // Another key's read isn't delayed, although the first key's read of the same history still waits.
  const mine = read('d', { resource: 'metric_history', key: 'key_2' });
  expect(await mine).toBe('d 3');
  expect(await read('e')).toBe('e 4');
  resolve();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await Promise.all(answers)).toEqual(['a 1', 'b 2', 'c 5', 'd 3']);
});
