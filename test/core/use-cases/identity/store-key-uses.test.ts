import { expect, test, vi } from 'vitest';
import { AccessError } from '#core';
import { aCall } from '../../../support/call.ts';
import { createWorld, later } from '../../world.ts';

const minute = 60_000;

async function aKey(world: ReturnType<typeof createWorld>) {
  const { id: investorId } = await world.investor();
  const { key, secret } = await world.operator.createApiKey({
    investorId,
    scopes: ['companies:read'],
  });
  const lastUse = async () => {
    const listed = await world.operator.listApiKeys({ investorId });
    return listed.find(({ id }) => id === key.id)?.lastUsedAt;
  };
  return { key, secret, lastUse };
}

test('the stored last use of a key is the time of one of its calls, at most ten minutes before the latest call', async () => {
  const world = createWorld();
  const { secret, lastUse } = await aKey(world);
  await world.background.storeKeyUses();
  expect(await lastUse()).toBeNull();
  const uses: Date[] = [];
  for (let step = 0; step < 30; step += 1) {
    world.clock.advance(minute);
    await world.admit(secret);
    uses.push(later(minute * (step + 1)));
    await world.background.storeKeyUses();
    const shown = await lastUse();
    expect(uses).toContainEqual(shown);
    expect(later(minute * (step + 1)).getTime() - (shown?.getTime() ?? 0)).toBeLessThanOrEqual(
      10 * minute,
    );
  }
});

test('a refused call doesn’t count as a use', async () => {
  const world = createWorld();
  const { key, secret, lastUse } = await aKey(world);
  await world.operator.revokeApiKey({ id: key.id });
  await expect(world.admit(secret)).rejects.toBeInstanceOf(AccessError);
  await world.background.storeKeyUses();
  expect(await lastUse()).toBeNull();
});

test('the successor of a rotated key starts without a last use', async () => {
  const world = createWorld();
  const { key, secret } = await aKey(world);
  await world.admit(secret);
  await world.background.storeKeyUses();
  expect(
    (await world.operator.rotateApiKey({ id: key.id, overlapMilliseconds: minute })).key.lastUsedAt,
  ).toBeNull();
});

test('uses of a key that couldn’t be stored are stored the next time', async () => {
  const world = createWorld();
  const away = new AccessError('service_unavailable');
  vi.spyOn(world.ports.apiKeys, 'storeUses').mockRejectedValueOnce(away);
  const { secret, lastUse } = await aKey(world);
  await world.admit(secret);
  await expect(world.background.storeKeyUses()).rejects.toBe(away);
  await world.background.storeKeyUses();
  expect(await lastUse()).toEqual(later(0));
});

test('a use of a key is stored the next time if a store is already running', async () => {
  const world = createWorld();
  const { secret, lastUse } = await aKey(world);
  await world.admit(secret);
  const { storeUses } = world.ports.apiKeys;
  vi.spyOn(world.ports.apiKeys, 'storeUses').mockImplementationOnce(async (...given) => {
    await storeUses(...given);
    world.clock.advance(11 * minute);
    await world.admit(secret);
  });
  await world.background.storeKeyUses();
  expect(await lastUse()).toEqual(later(0));
  await world.background.storeKeyUses();
  expect(await lastUse()).toEqual(later(11 * minute));
});

test('a company key’s last use is stored as well', async () => {
  const world = createWorld();
  const { id: companyId } = await world.company();
  const { secret } = await world.operator.createCompanyKey({ companyId });
  await world.companies.admitCompany(secret, 1, aCall);
  await world.background.storeKeyUses();
  expect(await world.operator.listCompanyKeys({ companyId })).toMatchObject([
    { lastUsedAt: later(0) },
  ]);
});

test('a use of a key is stored only once, and the database isn’t called without a new use', async () => {
  const world = createWorld();
  const storeUses = vi.spyOn(world.ports.apiKeys, 'storeUses');
  const { secret } = await aKey(world);
  await world.background.storeKeyUses();
  await world.admit(secret);
  const uses: number[] = [];
  storeUses.mockImplementation(async (kept) => void uses.push(kept.size));
  await world.background.storeKeyUses();
  await world.background.storeKeyUses();
  expect(uses).toEqual([1]);
  expect(storeUses).toHaveBeenCalledTimes(1);
});
