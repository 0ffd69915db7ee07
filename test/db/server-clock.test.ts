import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServerClock } from '../../db/connections/server-clock.ts';

const noon = Date.parse('2026-11-01T12:00:00Z');
const hour = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: noon });
});
afterEach(() => vi.useRealTimers());

/** The server is asked now, and answers so much later. */
function look(clock: ServerClock, serverTime: number, roundTrip: number): void {
  const sentAt = performance.now();
  vi.advanceTimersByTime(roundTrip);
  clock.observe(serverTime, sentAt, performance.now());
}

test('the clock of the machine counts as long as the server was not asked', () => {
  expect(new ServerClock().now()).toEqual(new Date(noon));
});

test('the time goes on from that of the server, whatever the machine is set to', () => {
  const clock = new ServerClock();
  look(clock, noon + hour, 0);
  expect(clock.now()).toEqual(new Date(noon + hour));
  vi.setSystemTime(noon - 5 * hour);
  vi.advanceTimersByTime(1_000);
  expect(clock.now()).toEqual(new Date(noon + hour + 1_000));
});

test('is never behind the server after the first look, and a quicker answer makes it exact', () => {
  const clock = new ServerClock();
  look(clock, noon + 10, 100);
  expect(clock.now()).toEqual(new Date(noon + 10 + 100));
  look(clock, noon + 102, 4);
  expect(clock.now()).toEqual(new Date(noon + 106));
});

test('is not moved by an answer that it agrees with', () => {
  const clock = new ServerClock();
  look(clock, noon, 0);
  look(clock, noon + 30, 60);
  expect(clock.now()).toEqual(new Date(noon + 60));
});

test('follows a server whose clock is set', () => {
  const clock = new ServerClock();
  look(clock, noon, 0);
  look(clock, noon - hour, 0);
  expect(clock.now()).toEqual(new Date(noon - hour));
});
