import { describe, expect, test } from 'vitest';
import { aCall } from '../../../support/call.ts';
import { aNewcomer, day, expectRefusal, later, start } from '../../world.ts';

describe('the API key that a caller uses', () => {
  test('can rotate only itself, not another key of the investor', async () => {
    const { world, caller, key: secret, investor, keyId } = await aNewcomer();
    const other = await world.key(investor);
    const minted = await world.callers.rotateCallingKey(caller, { overlapSeconds: 60 });
    const keys = await world.operator.listApiKeys({ investorId: investor.id });
    expect(keys.map(({ id, replacedBy, expiresAt }) => [id, replacedBy, expiresAt])).toEqual(
      expect.arrayContaining([
        [keyId, minted.key.id, later(60_000)],
        [other.keyId, null, null],
        [minted.key.id, null, null],
      ]),
    );
    await world.admit(secret);
    world.clock.set(later(60_000));
    await expectRefusal(world.admit(secret), 'invalid_api_key');
    expect(await world.admit(minted.secret)).toMatchObject({ scopes: caller.scopes });
  });

  test('ends its predecessor at once if the key rotates itself, but not if an operator rotates it', async () => {
    const { world, caller, key: first, keyId } = await aNewcomer();
    const second = await world.callers.rotateCallingKey(caller);
    const third = await world.operator.rotateApiKey({
      id: second.key.id,
      overlapMilliseconds: day,
    });
    for (const secret of [first, second.secret, third.secret]) await world.admit(secret);
    await world.callers.rotateCallingKey(await world.admit(third.secret));
    await expectRefusal(world.admit(second.secret), 'invalid_api_key');
    // The operator's rotation set the predecessor's end, which doesn't change.
    expect((await world.ports.apiKeys.find(keyId))?.expiresAt).toEqual(later(day));
    for (const secret of [first, third.secret]) await world.admit(secret);
  });

  test('keeps its expiry time after a rotation, even if the rotation’s overlap would end later', async () => {
    const { world, caller, keyId } = await aNewcomer({ expiresAt: later(1_000) });
    const { key } = await world.callers.rotateCallingKey(caller);
    expect(key.expiresAt).toEqual(later(1_000));
    expect((await world.ports.apiKeys.find(keyId))?.expiresAt).toEqual(later(1_000));
  });

  test('can be read by its caller, and the result contains the key’s rate limit or the default', async () => {
    const { world, caller, keyId, investor } = await aNewcomer({ rateLimit: 7 });
    const told = await world.callers.readCallingKey(caller);
    expect(told).toMatchObject({ key: { id: keyId }, investor, rateLimit: 7 });
    const usual = await world.admit((await world.key(investor)).key);
    const { rateLimit } = await world.callers.readCallingKey(usual);
    expect(rateLimit).toBe(world.ports.rateLimiter.policy.points);
  });

  test('can’t be read by id, because a caller can read only the key that it uses', async () => {
    const { world, caller, keyId } = await aNewcomer();
    const other = world.callers.readCallingKey(caller, { id: keyId } as never);
    await expectRefusal(other, 'invalid_parameter', 'parameter id is unknown');
  });

  test('causes an error if it doesn’t exist or belongs to another investor', async () => {
    const { world, caller } = await aNewcomer();
    const gone = { ...caller, credentialId: 'key_none' };
    await expectRefusal(world.callers.readCallingKey(gone), 'invalid_api_key');
    await expectRefusal(world.callers.rotateCallingKey(gone), 'invalid_api_key');
    const { keyId } = await world.newcomer();
    const foreign = { ...caller, credentialId: keyId };
    await expectRefusal(world.callers.rotateCallingKey(foreign), 'api_key_not_found');
    expect((await world.ports.apiKeys.find(keyId))?.replacedBy).toBeNull();
  });

  test('can’t be rotated if it was revoked', async () => {
    const { world, caller, keyId } = await aNewcomer();
    await world.operator.revokeApiKey({ id: keyId });
    await expectRefusal(world.callers.rotateCallingKey(caller), 'invalid_api_key');
    expect((await world.ports.apiKeys.find(keyId))?.revokedAt).toEqual(start);
  });

  test('can be rotated even if its calls aren’t charged', async () => {
    const { world, caller } = await aNewcomer();
    const minted = await world.callers.rotateCallingKey({ ...caller, budget: null });
    expect(minted.rateLimit).toBe(world.ports.rateLimiter.policy.points);
    await world.admit(minted.secret);
  });

  test('pays a tenth of its limit for a rotation, and its successor has only the remaining points', async () => {
    for (const [options, cost] of [
      [{}, 60],
      [{ rateLimit: 25 }, 3],
    ] as const) {
      const { world, caller } = await aNewcomer(options);
      const left = async () => (await world.callers.chargeCaller(caller, 0)).rateLimit.remaining;
      const before = await left();
      const { secret } = await world.callers.rotateCallingKey(caller);
      expect(before - (await left())).toBe(cost);
      const { rateLimit } = await world.callers.admitCaller(secret, 1, aCall);
      expect(rateLimit.remaining).toBe((await left()) - 1);
    }
  });
});
