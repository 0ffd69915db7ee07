import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventLoopThrottle, KeyedSemaphore, LongWorkLimit } from '#http';
import { EventLoopLag } from '../../http/limits/event-loop-lag.ts';

async function settle(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

describe('the limit of simultaneous calls per caller', () => {
  it('lets each caller run calls up to the limit, and counts a heavier call more than once', async () => {
    const semaphore = new KeyedSemaphore(3);
    const begun: string[] = [];
    const begin = (key: string, weight?: number) =>
      semaphore.acquire(key, weight).then(() => begun.push(key));
    void begin('a');
    void begin('a', 2);
    void begin('a');
    void begin('b', 9);
    await settle();
    expect(begun).toEqual(['a', 'a', 'b']);
    expect([
      semaphore.countWaiting('a'),
      semaphore.countInUse('a'),
      semaphore.countInUse('b'),
    ]).toEqual([1, 3, 3]);
    semaphore.release('a');
    await settle();
    expect(begun).toEqual(['a', 'a', 'b', 'a']);
    semaphore.release('b', 9);
    expect(semaphore.countInUse('b')).toBe(0);
  });
});

describe('the limit of long work', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function createWork(turns: number, perCaller = 2, countedMilliseconds = 10_000) {
    const lane = new LongWorkLimit({
      turns,
      perCaller,
      countedMilliseconds,
    });
    const running: { readonly caller: string; readonly end: (rest?: number) => void }[] = [];
    const begun: string[] = [];
    return {
      lane,
      begun,
      async begin(...callers: string[]) {
        for (const caller of callers)
          void lane.enter(caller).then((leave) => {
            begun.push(caller);
            running.push({ caller, end: leave });
          });
        await settle();
      },
      async end(caller: string, rest?: number) {
        const index = running.findIndex((work) => work.caller === caller);
        running.splice(index, 1)[0]?.end(rest);
        await settle();
      },
    };
  }

  it('lets a fixed number of calls work at the same time, and starts the next call when one of them ends', async () => {
    const { begin, begun, end } = createWork(2);
    await begin('a', 'b', 'c');
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('lets waiting callers take turns, even if one of them has many calls', async () => {
    const { begin, begun, end } = createWork(1);
    await begin('a', 'a', 'a', 'b', 'c');
    for (const caller of ['a', 'b', 'c', 'a']) await end(caller);
    expect(begun).toEqual(['a', 'b', 'c', 'a', 'a']);
  });

  it('limits the simultaneous work of one caller, while other callers continue', async () => {
    const { begin, begun, end } = createWork(4);
    await begin('a', 'a', 'a', 'b');
    expect(begun).toEqual(['a', 'a', 'b']);
    await end('a');
    expect(begun).toEqual(['a', 'a', 'b', 'a']);
  });

  it('lets other callers start if work exceeds the time limit, but makes the caller of this work wait', async () => {
    const { begin, begun, end } = createWork(1, 1, 250);
    await begin('a', 'a', 'b');
    await vi.advanceTimersByTimeAsync(249);
    expect(begun).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'a']);
    await begin('c');
    expect(begun).toEqual(['a', 'b', 'a']);
  });

  it('measures the waiting time of callers that are below their own limit', async () => {
    const { lane, begin } = createWork(1, 1);
    await begin('a', 'a');
    await vi.advanceTimersByTimeAsync(100);
    expect(lane.longestWaitMilliseconds).toBe(0);
    await begin('b');
    await vi.advanceTimersByTimeAsync(100);
    expect(lane.longestWaitMilliseconds).toBe(100);
  });

  it('starts the next work after the pause that the previous work requested', async () => {
    const { begin, begun, end } = createWork(1);
    await begin('a', 'b');
    await end('a', 50);
    await vi.advanceTimersByTimeAsync(49);
    expect(begun).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a', 'b']);
  });

  it('starts the next work at once if the previous work failed', async () => {
    const { lane } = createWork(1);
    const fail = () =>
      lane.run(
        'a',
        () => Promise.reject(new Error('down')),
        () => 1_000,
      );
    await Promise.allSettled([fail(), fail()]);
    expect(await lane.run('b', async () => 'done')).toBe('done');
  });
});

describe('the work within one turn of the event loop', () => {
  it('is limited, and starts in the order of arrival', async () => {
    const work = new EventLoopThrottle(10);
    const begun: number[] = [];
    const all = Array.from({ length: 9 }, (_, index) =>
      work.begin(4).then(() => begun.push(index)),
    );
    const seen: number[] = [];
    while (begun.length < 9) {
      await nextTurn();
      seen.push(begun.length);
    }
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    // Only the last piece of work in a turn may exceed the limit.
    expect(seen.map((count, index) => count - (seen[index - 1] ?? 0))).not.toContain(4);
  });

  it('is divided among the waiting callers, even if one of them has many calls', async () => {
    const work = new EventLoopThrottle(20);
    const begun: string[] = [];
    const begin = (count: number, caller: string, size: number) =>
      Array.from({ length: count }, () => work.begin(size, caller).then(() => begun.push(caller)));
    const all = [
      ...begin(9, 'great', 20),
      ...begin(9, 'many', 1),
      ...begin(2, 'small', 1),
      work.begin(1).then(() => begun.push('unnamed')),
    ];
    await Promise.all(all);
    expect(begun).toEqual([
      ...['great', 'great', ...Array(5).fill('many'), 'small', 'small', 'unnamed'],
      ...['great', ...Array(4).fill('many'), ...Array(6).fill('great')],
    ]);
  });

  it('starts at once if no caller waits', async () => {
    const work = new EventLoopThrottle(10);
    expect([work.beginNow(4), work.beginNow(100), work.beginNow(1)]).toEqual([true, true, false]);
    await work.begin(1);
    expect(work.beginNow(1)).toBe(true);
  });
});

it('the delay of the event loop is measured as an average', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const lag = new EventLoopLag();
  const look = (late: number) => {
    now += 100 + late;
    vi.advanceTimersToNextTimer();
    return lag.milliseconds;
  };
  expect(look(0)).toBe(0);
  expect(look(1_000)).toBeLessThan(500);
  for (let count = 0; count < 10; count += 1) look(600);
  expect(lag.milliseconds).toBeGreaterThan(500);
  for (let count = 0; count < 10; count += 1) look(0);
  expect(lag.milliseconds).toBeLessThan(100);
  lag.stop();
  clock.mockRestore();
  vi.useRealTimers();
});
