import type { Clock, RateLimiter } from '#core';

interface Policy {
  readonly points: number;
  readonly windowSeconds: number;
}

interface Window {
  readonly endsAt: number;
  spent: number;
}

/** Fixed windows, each of which begins with the first call that is counted in it. */
export function createMemoryRateLimiter(clock: Clock, policy: Policy): RateLimiter {
  const windows = new Map<string, Window>();

  function windowOf(bucket: string, now: number): Window {
    const current = windows.get(bucket);
    if (current !== undefined && now < current.endsAt) return current;
    const fresh = { endsAt: now + policy.windowSeconds * 1000, spent: 0 };
    windows.set(bucket, fresh);
    return fresh;
  }

  return {
    async consume(bucket, points, ownLimit) {
      const now = clock.now().getTime();
      const window = windowOf(bucket, now);
      window.spent += points;
      const limit = ownLimit ?? policy.points;
      return {
        limit,
        remaining: Math.max(0, limit - window.spent),
        resetSeconds: Math.ceil((window.endsAt - now) / 1000),
        exceeded: window.spent > limit,
      };
    },
    untouched: () => ({
      limit: policy.points,
      remaining: policy.points,
      resetSeconds: policy.windowSeconds,
      exceeded: false,
    }),
  };
}
