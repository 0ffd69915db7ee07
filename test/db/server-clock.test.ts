import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../db/connections/server-clock.ts';

const noon = Date.parse('2026-11-01T12:00:00Z');
const hour = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: noon });
});
afterEach(() => vi.useRealTimers());

function look(clock: ServerClock, serverTime: number, roundTrip: number): void {
  const sentAt = performance.now();
  vi.advanceTimersByTime(roundTrip);
  clock.observe(serverTime, sentAt, performance.now());
}

test('the server clock returns the machine’s time until the first answer of the server', () => {
  expect(new ServerClock().now()).toEqual(new Date(noon));
});

test('the server clock continues from the server’s answer, even if the machine’s clock is changed', () => {
  const clock = new ServerClock();
  look(clock, noon + hour, 0);
  expect(clock.now()).toEqual(new Date(noon + hour));
  vi.setSystemTime(noon - 5 * hour);
  vi.advanceTimersByTime(1_000);
  expect(clock.now()).toEqual(new Date(noon + hour + 1_000));
});

test('the server clock is never behind the server after an answer, and a faster answer makes it more exact', () => {
  const clock = new ServerClock();
  look(clock, noon + 10, 100);
  expect(clock.now()).toEqual(new Date(noon + 10 + 100));
  look(clock, noon + 102, 4);
  expect(clock.now()).toEqual(new Date(noon + 106));
});

test('the server clock stays the same after an answer that agrees with it', () => {
  const clock = new ServerClock();
  look(clock, noon, 0);
  look(clock, noon + 30, 60);
  expect(clock.now()).toEqual(new Date(noon + 60));
});

test('the server clock follows a change of the server’s clock', () => {
  const clock = new ServerClock();
  look(clock, noon, 0);
  look(clock, noon - hour, 0);
  expect(clock.now()).toEqual(new Date(noon - hour));
});
