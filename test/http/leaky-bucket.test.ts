import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LeakyBucket } from '../../http/leaky-bucket.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

/** Pieces of work that are done when the test says so, and which of them have begun. */
function createDesk(patience = 50) {
  const bucket = new LeakyBucket(patience);
  const begun: string[] = [];
  function start(name: string, rest = 0) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const work = () => {
      begun.push(name);
      return promise;
    };
    return { done: bucket.within(work, () => rest), end: () => resolve(name), fail: reject };
  }
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
  return { begun, start, pass };
}

test('what is made is handed on at once, before the rest', async () => {
  const { start } = createDesk();
  const { done, end } = start('a', 1_000);
  end();
  expect(await done).toBe('a');
});

test('work begins when the work before it is done and has been rested from, in the order of arrival', async () => {
  const { begun, start, pass } = createDesk();
  const first = start('a', 20);
  const second = start('b');
  start('c');
  await pass(10);
  expect(begun).toEqual(['a']);
  first.end();
  await pass(19);
  expect(begun).toEqual(['a']);
  await pass(1);
  expect(begun).toEqual(['a', 'b']);
  second.end();
  await pass(0);
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('work that waits itself is not waited for beyond the patience', async () => {
  const { begun, start, pass } = createDesk(50);
  const slow = start('slow', 30);
  start('b');
  await pass(49);
  expect(begun).toEqual(['slow']);
  await pass(1);
  expect(begun).toEqual(['slow', 'b']);
  slow.end();
  start('c');
  await pass(79);
  expect(begun).toEqual(['slow', 'b']);
  await pass(1);
  expect(begun).toEqual(['slow', 'b', 'c']);
});

test('work that fails is not rested from', async () => {
  const { begun, start, pass } = createDesk();
  const failing = start('a', 1_000);
  start('b');
  failing.fail(new Error('gone'));
  await expect(failing.done).rejects.toThrow('gone');
  await pass(0);
  expect(begun).toEqual(['a', 'b']);
});

test('short work without a rest follows each other without a timer', async () => {
  const { begun, start } = createDesk();
  for (const name of ['a', 'b', 'c']) {
    const { done, end } = start(name, 0.01);
    end();
    await done;
  }
  expect(begun).toEqual(['a', 'b', 'c']);
});
