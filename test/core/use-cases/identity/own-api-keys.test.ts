import { expect, test } from 'vitest';
import { createWorld, expectRefusal } from '../../world.ts';

test('people see the keys of their investor, those that work first', async () => {
  const world = createWorld();
  const { investor, keyId } = await world.newcomer();
  const person = await world.admitInvestorContact(investor.id);
  await world.newcomer();
  world.clock.advance(1);
  const { key } = await world.callers.createOwnKey(person, { scopes: ['metrics:read'] });
  await world.callers.revokeOwnKey(person, { id: keyId });
  const listed = await world.callers.listOwnKeys(person);
  expect(listed.map(({ id }) => id)).toEqual([key.id, keyId]);
});

test('whoever has used up the budget makes no further one with a new key', async () => {
  const world = createWorld();
  const { investor } = await world.newcomer();
  const person = await world.admitInvestorContact(investor.id);
  const { points } = world.ports.rateLimiter.policy;
  await world.callers.chargeCaller(person, points);
  const before = await world.callers.listOwnKeys(person);
  const made = world.callers.createOwnKey(person, { scopes: ['metrics:read'] });
  await expectRefusal(made, 'rate_limit_exceeded');
  const [old] = before;
  const rotated = world.callers.rotateOwnKey(person, { id: old?.id ?? '' });
  await expectRefusal(rotated, 'rate_limit_exceeded');
  expect(await world.callers.listOwnKeys(person)).toEqual(before);
});
