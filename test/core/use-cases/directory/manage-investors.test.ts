import { expect, test } from 'vitest';
import { createWorld } from '../../world.ts';

test('a new test investor has the sandbox companies in its portfolio, each with a log entry', async () => {
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
