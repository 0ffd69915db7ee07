import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RateLimiter } from '#core';

export interface OpenedRateLimiter {
  readonly rateLimiter: RateLimiter;
  close(): Promise<void> | void;
}

export const rateLimiterPolicy = { points: 5, windowSeconds: 60 };

export function describeRateLimiter(
  name: string,
  open: () => Promise<OpenedRateLimiter> | OpenedRateLimiter,
): void {
  describe(`rate limiter: ${name}`, () => {
    let opened: OpenedRateLimiter;
    const bucket = () => `bucket-${randomUUID()}`;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('returns all points spent from a bucket after each call, even above the limit', async () => {
      const name = bucket();
      const spent = [];
      for (const points of [1, 1, 3, 2, 0, 100, 0]) {
        spent.push((await opened.rateLimiter.spend(name, points)).points);
      }
      expect(spent).toEqual([1, 2, 5, 7, 7, 107, 107]);
    });

    it('returns the remaining time of the window, which begins with its first call', async () => {
      const name = bucket();
      const first = await opened.rateLimiter.spend(name, 1);
      expect(first.millisecondsLeft).toBeGreaterThan(55_000);
      expect(first.millisecondsLeft).toBeLessThanOrEqual(60_000);
      const second = await opened.rateLimiter.spend(name, 1);
      expect(second.millisecondsLeft).toBeLessThanOrEqual(first.millisecondsLeft);
    });

    it('counts the points of each bucket separately', async () => {
      await opened.rateLimiter.spend(bucket(), 5);
      expect(await opened.rateLimiter.spend(bucket(), 1)).toMatchObject({ points: 1 });
    });

    it('counts concurrent calls exactly', async () => {
      const name = bucket();
      const calls = Array.from({ length: 50 }, () => opened.rateLimiter.spend(name, 1));
      const spent = (await Promise.all(calls)).map(({ points }) => points);
      expect(spent.toSorted((one, other) => one - other)).toEqual(
        calls.map((_, index) => index + 1),
      );
    });

    it('has a default limit for callers without their own limit', () => {
      expect(opened.rateLimiter.policy).toEqual(rateLimiterPolicy);
    });
  });
}
