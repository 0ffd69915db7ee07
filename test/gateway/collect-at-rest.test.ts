import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startCollectingAtRest } from '../../gateway/collect-at-rest.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

const mebibyte = 1024 * 1024;

function createStage({ utilization = 0, callsEach = 0 } = {}) {
  const state = { utilization, callsEach, heapBytes: 120 * mebibyte, now: 0, collected: 0 };
  let calls = 0;
  const countCalls = () => (calls += state.callsEach);
  const task = startCollectingAtRest(countCalls, {
    utilization: () => ({ idle: 0, active: 0, utilization: state.utilization }),
    heapBytes: () => state.heapBytes,
    collect() {
      state.collected += 1;
      state.heapBytes = 60 * mebibyte;
    },
    now: () => state.now,
  });
  const pass = async (milliseconds: number): Promise<void> => {
    state.now += milliseconds;
    await vi.advanceTimersByTimeAsync(milliseconds);
  };
  return { state, task, pass };
}

it('an idle process runs one garbage collection after its start', async () => {
  const { state, task, pass } = createStage();
  await pass(60_000);
  await task.stop();
  expect(state.collected).toBe(1);
});

it.each([
  ['is nearly idle', { utilization: 0.01 }],
  ['is no longer called', { callsEach: 0 }],
])('a busy process runs no garbage collection until it %s', async (_name, quiet) => {
  const { state, task, pass } = createStage({ utilization: 0.2, callsEach: 1 });
  await pass(60_000);
  expect(state.collected).toBe(0);
  Object.assign(state, quiet);
  await pass(10_000);
  await task.stop();
  expect(state.collected).toBe(1);
});

it('a process with little new garbage runs no second garbage collection', async () => {
  const { state, task, pass } = createStage();
  await pass(10_000);
  state.heapBytes += 8 * mebibyte;
  await pass(3_600_000);
  await task.stop();
  expect(state.collected).toBe(1);
});

it('a process with occasional calls runs at most one garbage collection in ten minutes', async () => {
  const { state, task, pass } = createStage();
  for (let minute = 0; minute < 60; minute += 1) {
    state.heapBytes = 120 * mebibyte;
    await pass(60_000);
  }
  await task.stop();
  expect(state.collected).toBeGreaterThan(1);
  expect(state.collected).toBeLessThanOrEqual(7);
});
