import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWaker, runPeriodically } from '../../gateway/run-periodically.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => vi.useRealTimers());

function start(work: Parameters<typeof runPeriodically>[0], maxMilliseconds?: number) {
  const failures: [unknown, boolean][] = [];
  const task = runPeriodically(work, 10, (...failure) => failures.push(failure), maxMilliseconds);
  onTestFinished(() => task.stop());
  return { task, failures };
}

describe('periodic work', () => {
  it('continues after a failure, and reports whether the previous run failed, too', async () => {
    const outage = new Error('the database is down');
    const outcomes = [outage, outage, null, outage];
    const { failures } = start(async () => {
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(failures).toEqual([
      [outage, false],
      [outage, true],
      [outage, false],
    ]);
  });

  it('pauses for longer after each failure in a row, up to the limit', async () => {
    const runs: number[] = [];
    const begin = performance.now();
    start(async () => {
      runs.push(performance.now() - begin);
      if (runs.length < 5) throw new Error('the database is down');
    }, 50);
    await vi.advanceTimersByTimeAsync(200);
    expect(runs.slice(0, 7)).toEqual([0, 20, 60, 110, 160, 170, 180]);
  });

  it('never runs twice at the same time, and runs once more if it is requested during a run', async () => {
    const releases: (() => void)[] = [];
    let running = 0;
    const { task } = start(async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise<void>((done) => releases.push(done));
      running -= 1;
    });
    task.run();
    task.run();
    await vi.advanceTimersByTimeAsync(100);
    expect(releases).toHaveLength(1);
    releases[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(releases).toHaveLength(2);
    releases[1]?.();
    await vi.advanceTimersByTimeAsync(9);
    expect(releases).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(releases).toHaveLength(3);
    releases[2]?.();
  });

  it('is aborted by `stop`, which waits until the work has ended', async () => {
    let hasEnded = false;
    const { task } = start(async (signal) => {
      await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
      await Promise.resolve();
      hasEnded = true;
    });
    await task.stop();
    expect(hasEnded).toBe(true);
    task.run();
    await vi.advanceTimersByTimeAsync(100);
  });
});

it('a waker calls its function once for several quick calls, with the minimum pause between calls', async () => {
  const calls: number[] = [];
  const begin = performance.now();
  const waker = createWaker(() => calls.push(performance.now() - begin), 50, 300);
  for (let count = 0; count < 100; count += 1) {
    waker.wake();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(calls).toEqual([50, 350, 650, 950]);
  waker.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls).toHaveLength(4);
});
