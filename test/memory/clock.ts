import type { Clock } from '#core';

/** Changes only when a test moves it. */
export interface MemoryClock extends Clock {
  set(instant: Date): void;
  advance(milliseconds: number): void;
}

export function createMemoryClock(start: Date): MemoryClock {
  let now = start.getTime();
  return {
    now: () => new Date(now),
    set: (instant) => {
      now = instant.getTime();
    },
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
