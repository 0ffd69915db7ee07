import { describe, expect, it, vi } from 'vitest';
import { runPeriodically } from '../../gateway/run-periodically.ts';

describe('repeated work', () => {
  it('goes on after a failure, which is told', async () => {
    const failure = new Error('once');
    const told: unknown[] = [];
    let runs = 0;
    let task: ReturnType<typeof runPeriodically> | undefined;
    await new Promise<void>((done) => {
      const work = async (): Promise<void> => {
        runs += 1;
        if (runs === 1) throw failure;
        done();
      };
      task = runPeriodically(work, 1, (error) => told.push(error));
    });
    await task?.stop();
    expect(told).toEqual([failure]);
  });

  it('tells of each failure whether the run before failed too', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const outcomes = [false, false, true, false];
    const told: boolean[] = [];
    const task = runPeriodically(
      async () => {
        if (outcomes.shift() === false) throw new Error('the database is down');
      },
      1,
      (_error, isRepeated) => told.push(isRepeated),
    );
    for (let turn = 0; turn < 3; turn += 1) await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await task.stop();
    expect(told).toEqual([false, true, false]);
  });

  it('never runs twice at a time, and stopping waits for what is under way', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const release = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    let ended = false;
    const task = runPeriodically(
      async () => {
        running += 1;
        most = Math.max(most, running);
        await release.promise;
        running -= 1;
        ended = true;
      },
      1,
      () => undefined,
    );
    await vi.advanceTimersByTimeAsync(20);
    vi.useRealTimers();
    const stopped = task.stop();
    release.resolve();
    await stopped;
    expect({ most, ended }).toEqual({ most: 1, ended: true });
  });
});

it('work that goes on and on is told when to stop', async () => {
  const started = Promise.withResolvers<void>();
  let rounds = 0;
  const task = runPeriodically(
    async (signal) => {
      while (!signal.aborted) {
        rounds += 1;
        started.resolve();
        await new Promise((done) => setImmediate(done));
      }
    },
    60_000,
    () => undefined,
  );
  await started.promise;
  await task.stop();
  const atTheEnd = rounds;
  await new Promise((done) => setImmediate(done));
  expect(rounds).toBe(atTheEnd);
});
