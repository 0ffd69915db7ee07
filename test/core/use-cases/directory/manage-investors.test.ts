import { expect, test } from 'vitest';
import { createWorld } from '../../world.ts';

test('an investor of the test environment begins with the sandbox, and the log of settings says so', async () => {
  const { operator } = createWorld();
  const typesOf = async (environment: 'live' | 'test', sandbox?: boolean) => {
    const { id: investorId } = await operator.createInvestor({ name: 'N', environment, sandbox });
    const { items } = await operator.listSettingsChanges({ investorId });
    return items.map(({ type }) => type).toSorted();
  };
  expect(await typesOf('live')).toEqual(['investor.created']);
  expect(await typesOf('test', false)).toEqual(['investor.created']);
  const [created, ...added] = await typesOf('test');
  expect(created).toBe('investor.created');
  expect(added.length).toBeGreaterThan(3);
  expect(new Set(added)).toEqual(new Set(['portfolio.company_added']));
});
