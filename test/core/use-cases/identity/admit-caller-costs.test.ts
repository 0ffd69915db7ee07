import { expect, test } from 'vitest';
import { operationCost } from '#core';
import { aCall } from '../../../support/call.ts';
import { aNewcomer } from '../../world.ts';

test.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [50, 50],
])('an operation with %i mutations and reads of company data costs %i points', (count, points) => {
  expect(operationCost(count)).toBe(points);
});

test('the cost of an operation is charged to the key’s configured limit', async () => {
  const { world, caller } = await aNewcomer({ rateLimit: 20 });
  expect(await world.callers.chargeCaller(caller, 4)).toMatchObject({
    rateLimit: { limit: 20, remaining: 15 },
    refusal: null,
  });
});

test('a key without a configured limit is charged with the default limit', async () => {
  const { world, caller } = await aNewcomer();
  expect(await world.callers.chargeCaller(caller, 4)).toMatchObject({
    rateLimit: { limit: 600, remaining: 595 },
    refusal: null,
  });
});

test('a charge above the remaining points succeeds if one point is left, and the next charge is refused', async () => {
  const { world, caller, key } = await aNewcomer({ rateLimit: 5 });
  expect(await world.callers.chargeCaller(caller, 9)).toMatchObject({
    rateLimit: { remaining: 0 },
    refusal: null,
  });
  const { rateLimit, refusal } = await world.callers.chargeCaller(caller, 1);
  expect(refusal).toMatchObject({
    code: 'rate_limit_exceeded',
    retryAfterSeconds: rateLimit.resetSeconds,
  });
  expect(await world.callers.admitCaller(key, 1, aCall)).toMatchObject({
    refusal: { code: 'rate_limit_exceeded' },
  });
});

test('a charge is refused if the previous charge used exactly the last point', async () => {
  const { world, caller } = await aNewcomer({ rateLimit: 5 });
  expect(await world.callers.chargeCaller(caller, 4)).toMatchObject({ refusal: null });
  expect(await world.callers.chargeCaller(caller, 1)).toMatchObject({
    refusal: { code: 'rate_limit_exceeded' },
  });
});

test('only one of many simultaneous charges can go beyond the limit', async () => {
  const { world, caller } = await aNewcomer({ rateLimit: 11 });
  const charges = await Promise.all(
    Array.from({ length: 20 }, () => world.callers.chargeCaller(caller, 4)),
  );
  // Admission costs 1 of the 11 points, and two charges cost 4 each. With the last two points, a third charge succeeds.
  expect(charges.filter(({ refusal }) => refusal === null)).toHaveLength(3);
});

test('a caller without a budget is never charged, and always has the full default limit', async () => {
  const { world, caller } = await aNewcomer({ rateLimit: 5 });
  const uncounted = { ...caller, budget: null };
  for (const points of [1, 1_000]) {
    expect(await world.callers.chargeCaller(uncounted, points)).toEqual({
      rateLimit: { limit: 600, remaining: 600, resetSeconds: 60, exceeded: false },
      refusal: null,
    });
  }
});
