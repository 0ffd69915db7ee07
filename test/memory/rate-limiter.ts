import type { Clock, RateLimiter, RateLimitPolicy } from '#core';

interface Window {
  readonly endsAt: number;
  spent: number;
}

/** Counts in fixed windows. A window begins with the first call that it counts. */
export function createMemoryRateLimiter(clock: Clock, policy: RateLimitPolicy): RateLimiter {
  const windows = new Map<string, Window>();

  function windowOf(bucket: string, now: number): Window {
    const current = windows.get(bucket);
    if (current !== undefined && now < current.endsAt) return current;
    const fresh = { endsAt: now + policy.windowSeconds * 1000, spent: 0 };
    windows.set(bucket, fresh);
    return fresh;
  }

  return {
    policy,
    async spend(bucket, points) {
      const now = clock.now().getTime();
      const window = windowOf(bucket, now);
      window.spent += points;
      return { points: window.spent, millisecondsLeft: window.endsAt - now };
    },
  };
}
