import { describe, expect, test } from 'vitest';
import { fileCost, fullRateLimit, rateLimitState } from '#core';

const state = (limit: number, points: number, millisecondsLeft = 60_000) =>
  rateLimitState(limit, { points, millisecondsLeft });

describe('a rate limit', () => {
  test('allows exactly as many points as its limit', () => {
    expect([4, 5, 6, 7].map((points) => state(5, points).exceeded)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('returns the remaining points, which are never negative', () => {
    expect([1, 5, 6, 100].map((points) => state(5, points).remaining)).toEqual([4, 0, 0, 0]);
  });

  test.each([
    [60_000, 60],
    [59_999, 60],
    [1_001, 2],
    [1_000, 1],
    [1, 1],
    [0, 1],
    [-1, 1],
  ])(
    'resets in %d ms, which the service shows as %d whole seconds',
    (millisecondsLeft, seconds) => {
      expect(state(5, 1, millisecondsLeft).resetSeconds).toBe(seconds);
    },
  );

  test('has all its points left before the first call', () => {
    expect(fullRateLimit({ points: 600, windowSeconds: 60 })).toEqual({
      limit: 600,
      remaining: 600,
      resetSeconds: 60,
      exceeded: false,
    });
  });
});

test.each([
  [0, 1],
  [65_536, 1],
  [65_537, 2],
  [10 * 1024 * 1024, 160],
])('a file of %d bytes costs %d points', (bytes, points) => {
  expect(fileCost(bytes)).toBe(points);
});
