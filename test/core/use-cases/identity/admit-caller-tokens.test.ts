import { describe, expect, test, vi } from 'vitest';
import { AccessError, type AccessToken, PolledEventFeed } from '#core';
import { nodeCryptography } from '../../../memory/cryptography.ts';
import { aCall } from '../../../support/call.ts';
import { createWorld, expectRefusal, later, start } from '../../world.ts';

const minute = 60_000;
const aToken = 'e30.e30.c2ln';

/** A world whose authorization server accepts one token. `issue` sets the content of this token. */
function aWorld() {
  const issued: { token: AccessToken | null } = { token: null };
  const world = createWorld(() => ({
    accessTokens: { verify: async (credential) => (credential === aToken ? issued.token : null) },
  }));
  const { eventFeed } = world.ports;
  if (!(eventFeed instanceof PolledEventFeed)) throw new Error('the feed is another');
  return {
    ...world,
    eventFeed,
    issue(keyId: string, given: Partial<AccessToken> = {}) {
      issued.token = { keyId, scopes: ['sources:read'], expiresAt: later(minute), ...given };
    },
  };
}

describe('an access token instead of a key', () => {
  test('acts for its API key’s investor with the key’s budget, and has only scopes of both the token and the key', async () => {
    const world = aWorld();
    const scopes = ['companies:read', 'metrics:read'] as const;
    const made = await world.portfolio({ environment: 'test', scopes, rateLimit: 20 });
    world.issue(made.keyId, { scopes: ['metrics:read', 'accounts:read', 'offline_access'] });
    expect(await world.callers.admitCaller(aToken, 3, aCall)).toMatchObject({
      caller: {
        kind: 'investor',
        credentialId: made.keyId,
        investorId: made.investor.id,
        environment: 'test',
        scopes: ['metrics:read'],
        budget: { bucket: nodeCryptography.sha256(made.key), limit: 20, owner: 'API key' },
      },
      rateLimit: { limit: 20, remaining: 17 },
    });
    expect(await world.callers.admitCaller(aToken, 18, aCall)).toMatchObject({
      refusal: { message: 'The rate limit of this API key is exceeded.' },
    });
  });

  test('reads data with its key’s scopes, whether or not the call names a company at admission', async () => {
    const world = aWorld();
    const { keyId, company, key } = await world.portfolio();
    await world.grant({ key, company });
    world.issue(keyId);
    for (const named of [company.id, null]) {
      const admission = await world.callers.admitCaller(aToken, 1, aCall, named);
      if ('refusal' in admission) throw admission.refusal;
      const { caller } = admission;
      const read = { companyId: company.id };
      expect(await world.callers.readSources(caller, read)).toBeDefined();
      await expectRefusal(world.callers.readAccounts(caller, read), 'insufficient_scope');
    }
  });

  test('works until its API key or the token expires', async () => {
    const world = aWorld();
    const made = await world.portfolio({ expiresAt: later(2 * minute) });
    world.issue(made.keyId, { expiresAt: later(minute) });
    await world.admit(aToken);
    world.clock.set(later(minute));
    await expectRefusal(world.admit(aToken), 'invalid_api_key');
    world.issue(made.keyId, { expiresAt: later(3 * minute) });
    const caller = await world.admit(aToken);
    expect((await world.callers.readCallingKey(caller)).key.expiresAt).toEqual(later(2 * minute));
    world.clock.set(later(2 * minute));
    await expectRefusal(world.admit(aToken), 'invalid_api_key');
  });

  test('doesn’t work after the revocation of its API key', async () => {
    const world = aWorld();
    const { keyId, company } = await world.portfolio();
    world.issue(keyId);
    const caller = await world.admit(aToken);
    await world.operator.revokeApiKey({ id: keyId });
    await expectRefusal(world.admit(aToken), 'invalid_api_key');
    const read = { companyId: company.id };
    await expectRefusal(world.callers.readSources(caller, read), 'invalid_api_key');
  });

  test('is refused like an unknown credential if its API key doesn’t exist or its signature is invalid', async () => {
    const world = aWorld();
    world.issue('key_none');
    for (const credential of [aToken, 'e30.e30.', `svc_sk_live_${'A'.repeat(32)}`, 'nothing']) {
      await expectRefusal(world.admit(credential), 'invalid_api_key');
    }
  });

  test.each([
    ['a key id with U+0000', 'key_\u0000', later(minute)],
    ['a key id with half of a surrogate pair', 'key_\ud800', later(minute)],
    ['an end in the year 10000', null, new Date('+010000-01-01T00:00:00Z')],
    ['an end that isn’t a date', null, new Date(Number.NaN)],
  ])(
    'is refused before the service looks up the API key if it has %s',
    async (_what, keyId, expiresAt) => {
      const world = aWorld();
      const made = await world.portfolio();
      const read = vi.spyOn(world.ports.apiKeys, 'readDigest');
      world.issue(keyId ?? made.keyId, { expiresAt });
      await expectRefusal(world.admit(aToken), 'invalid_api_key');
      expect(read).not.toHaveBeenCalled();
    },
  );

  test('is refused if no authorization server is configured', async () => {
    const world = createWorld();
    await expectRefusal(world.admit(aToken), 'invalid_api_key');
  });

  test('is refused with service_unavailable, but still charged, if the authorization server can’t be reached', async () => {
    const world = createWorld(() => ({
      accessTokens: { verify: () => Promise.reject(new AccessError('service_unavailable')) },
    }));
    expect(await world.callers.admitCaller(aToken, 1, aCall)).toMatchObject({
      refusal: { code: 'service_unavailable' },
      rateLimit: { remaining: 599 },
    });
  });

  test('can’t rotate its API key', async () => {
    const world = aWorld();
    const { keyId } = await world.portfolio();
    world.issue(keyId);
    const caller = await world.admit(aToken);
    const message = /^A token can’t rotate its key. Send the key itself\.$/;
    await expectRefusal(world.callers.rotateCallingKey(caller), 'insufficient_scope', message);
    expect((await world.ports.apiKeys.find(keyId))?.replacedBy).toBeNull();
  });
});

describe('a stream that was opened with an access token', () => {
  test('ends when its token expires, while streams of the API key or of a longer token stay open', async () => {
    const world = aWorld();
    const { key, keyId } = await world.portfolio();
    const open = async (credential: string) =>
      (await world.callers.watchAccessRequests(await world.admit(credential))).events;
    world.issue(keyId, { expiresAt: later(minute) });
    const short = await open(aToken);
    world.issue(keyId, { expiresAt: later(2 * minute) });
    const [long, ofKey] = [await open(aToken), await open(key)];
    world.clock.set(later(minute, start));
    await world.eventFeed.checkKeys();
    await expectRefusal(short.next(), 'invalid_api_key');
    const next = [long.next(), ofKey.next()];
    await long.return?.();
    await ofKey.return?.();
    expect(await Promise.all(next)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  test('ends when the token’s API key is revoked', async () => {
    const world = aWorld();
    const { keyId } = await world.portfolio();
    world.issue(keyId);
    const { events } = await world.callers.watchAccessRequests(await world.admit(aToken));
    await world.operator.revokeApiKey({ id: keyId });
    await world.eventFeed.checkKeys();
    await expectRefusal(events.next(), 'invalid_api_key');
  });
});
