import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairSemaphore } from '#http';

const patienceMilliseconds = 250;

/** Work that ends when it is told, each piece known by the key that it is of. */
function createWork(permits: number) {
  const semaphore = new FairSemaphore(permits, patienceMilliseconds);
  const running: { readonly key: string; readonly end: () => void }[] = [];
  const begun: string[] = [];
  async function end(key: string) {
    const index = running.findIndex((work) => work.key === key);
    running.splice(index, 1)[0]?.end();
    await nextTurn();
    await nextTurn();
  }
  return {
    begun,
    semaphore,
    begin: (key: string) =>
      semaphore.within(key, () => {
        begun.push(key);
        return new Promise<void>((end) => running.push({ key, end }));
      }),
    endOldest: () => end(running[0]?.key ?? ''),
    end,
  };
}

describe('the semaphore of all keys', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('lets as many begin as it has permits, and the next one when one ends', async () => {
    const { begin, begun, endOldest } = createWork(2);
    const all = ['a', 'b', 'c'].map(begin);
    expect(begun).toEqual(['a', 'b']);
    await endOldest();
    expect(begun).toEqual(['a', 'b', 'c']);
    await endOldest();
    await endOldest();
    await Promise.all(all);
  });

  it('serves the keys that wait in turns, however much one of them asks for', async () => {
    const { begin, begun, endOldest } = createWork(1);
    const all = ['a', 'a', 'a', 'a', 'b', 'c'].map(begin);
    for (const _ of all) await endOldest();
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
    await Promise.all(all);
  });

  it('lets a key that has no permit begin after a bounded time, and no second time while that runs', async () => {
    const { begin, begun } = createWork(1);
    for (const key of ['a', 'a', 'b', 'b']) void begin(key);
    await vi.advanceTimersByTimeAsync(patienceMilliseconds - 1);
    expect(begun).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(10 * patienceMilliseconds);
    expect(begun).toEqual(['a', 'b']);
  });

  it('does not forget who waits behind work of its own, while work that hangs keeps all permits', async () => {
    const { begin, begun, end } = createWork(1);
    for (const key of ['a', 'b', 'b']) void begin(key);
    await vi.advanceTimersByTimeAsync(3 * patienceMilliseconds);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(patienceMilliseconds);
    expect(begun).toEqual(['a', 'b', 'b']);
  });

  it('takes no more than its permits again once those that began beside the others have ended', async () => {
    const { begin, begun, endOldest } = createWork(1);
    void begin('a');
    void begin('b');
    await vi.advanceTimersByTimeAsync(patienceMilliseconds);
    void begin('c');
    await endOldest();
    expect(begun).toEqual(['a', 'b']);
    await endOldest();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('is free again after work that fails', async () => {
    const { semaphore } = createWork(1);
    const fail = () => semaphore.within('a', () => Promise.reject(new Error('down')));
    await Promise.allSettled([fail(), fail()]);
    expect(await semaphore.within('b', async () => 'done')).toBe('done');
  });
});
