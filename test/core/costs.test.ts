import { expect, test } from 'vitest';
import { operationCost } from '#core';
import { aCall } from '../support/call.ts';
import { createWorld } from './world.ts';

test.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [50, 50],
])('an operation that read %i companies costs %i', (companies, points) => {
  expect(operationCost(companies)).toBe(points);
});

test('what the end of a call costs goes to the key’s own bucket, by its own limit', async () => {
  const world = createWorld();
  const { caller } = await world.newcomer({ rateLimit: 20 });
  expect(await world.callers.chargeCaller(caller, 4)).toMatchObject({ limit: 20, remaining: 15 });
});

test('a charge over the limit is a debt: it refuses nothing itself, but the next call', async () => {
  const world = createWorld();
  const { caller, key } = await world.newcomer({ rateLimit: 5 });
  expect(await world.callers.chargeCaller(caller, 9)).toMatchObject({ remaining: 0 });
  expect(await world.callers.admitCaller(key, 1, aCall)).toMatchObject({
    refusal: { code: 'rate_limit_exceeded' },
  });
});

test('nothing is counted of a caller without a budget, and it is shown the default, untouched', async () => {
  const world = createWorld();
  const { caller } = await world.newcomer({ rateLimit: 5 });
  const uncounted = { ...caller, budget: null };
  for (const points of [1, 1_000]) {
    expect(await world.callers.chargeCaller(uncounted, points)).toEqual({
      limit: 600,
      remaining: 600,
      resetSeconds: 60,
      exceeded: false,
    });
  }
});
