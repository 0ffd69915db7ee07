import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RateLimiter } from '#core';

export interface OpenedRateLimiter {
  readonly rateLimiter: RateLimiter;
  close(): Promise<void> | void;
}

export const rateLimiterPolicy = { points: 5, windowSeconds: 60 };

/** The promises of the rate limiter's port, under the policy above. */
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

    it('lets exactly the limit through, then says so', async () => {
      const name = bucket();
      const states = [];
      for (let call = 0; call < 7; call += 1) {
        states.push(await opened.rateLimiter.consume(name, 1, null));
      }
      expect(states.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
      expect(states.map(({ exceeded }) => exceeded)).toEqual([...Array(5).fill(false), true, true]);
      expect(states.every(({ limit }) => limit === 5)).toBe(true);
    });

    it('tells the whole seconds until the window resets', async () => {
      const { resetSeconds } = await opened.rateLimiter.consume(bucket(), 1, null);
      expect(Number.isInteger(resetSeconds)).toBe(true);
      expect(resetSeconds).toBeGreaterThanOrEqual(1);
      expect(resetSeconds).toBeLessThanOrEqual(60);
    });

    it('gives a bucket the limit of its own', async () => {
      const name = bucket();
      expect(await opened.rateLimiter.consume(name, 2, 3)).toMatchObject({
        limit: 3,
        remaining: 1,
        exceeded: false,
      });
      expect(await opened.rateLimiter.consume(name, 2, 3)).toMatchObject({
        remaining: 0,
        exceeded: true,
      });
    });

    it('charges a call what it costs', async () => {
      expect(await opened.rateLimiter.consume(bucket(), 4, null)).toMatchObject({ remaining: 1 });
    });

    it('keeps the buckets apart', async () => {
      await opened.rateLimiter.consume(bucket(), 5, null);
      expect(await opened.rateLimiter.consume(bucket(), 1, null)).toMatchObject({ remaining: 4 });
    });

    it('counts concurrent calls exactly', async () => {
      const name = bucket();
      const calls = Array.from({ length: 50 }, () => opened.rateLimiter.consume(name, 1, 20));
      const states = await Promise.all(calls);
      expect(states.filter(({ exceeded }) => !exceeded)).toHaveLength(20);
    });

    it('shows the default policy to those who spend nothing', () => {
      expect(opened.rateLimiter.untouched()).toEqual({
        limit: 5,
        remaining: 5,
        resetSeconds: 60,
        exceeded: false,
      });
    });
  });
}
