import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RequestBudget } from '../../graphql-adapter/limits/request-budget.ts';
import { RequestPoints } from '../../graphql-adapter/limits/request-points.ts';
import { defaultBounds } from '../../graphql-adapter/settings.ts';

it('the points of an HTTP request are settled when all its charges have ended, in any order', async () => {
  const charges: PromiseWithResolvers<void>[] = [];
  const points = new RequestPoints(new RequestBudget(defaultBounds), () => {
    const charge = Promise.withResolvers<void>();
    charges.push(charge);
    return charge.promise;
  });
  const owed = [points.charge(1)];
  await expect.poll(() => charges).toHaveLength(1);
  owed.push(points.charge(1));
  await expect.poll(() => charges).toHaveLength(2);

  let isSettled = false;
  const settled = points.settle().then(() => {
    isSettled = true;
  });
  charges[1]?.resolve();
  await owed[1];
  await nextTurn();
  expect(isSettled).toBe(false);
  charges[0]?.resolve();
  await Promise.all([settled, ...owed]);
});
