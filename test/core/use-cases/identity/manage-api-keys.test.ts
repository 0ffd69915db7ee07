import { describe, expect, test } from 'vitest';
import type { ApiKey } from '#core';
import { aCall } from '../../../support/call.ts';
import { aNewcomer, aPortfolio } from '../../builders.ts';
import {
  createWorld,
  day,
  expectRefusal,
  expectRefusalSaying,
  later,
  start,
  type World,
} from '../../world.ts';

const hour = 3_600_000;

async function isAdmitted({ callers }: World, secret: string): Promise<boolean> {
  return 'caller' in (await callers.admitCaller(secret, 1, aCall));
}

async function keyOf(world: World, id: string): Promise<ApiKey> {
  const keys = await world.operator.listApiKeys();
  const key = keys.find((candidate) => candidate.id === id);
  if (key === undefined) throw new Error(`there is no key ${id}`);
  return key;
}

describe('a new API key', () => {
  test('belongs to its investor and has its scopes, with no end or rate limit by default', async () => {
    const world = createWorld();
    const investor = await world.investor('test');
    const { key, secret } = await world.operator.createApiKey({
      investorId: investor.id,
      scopes: ['metrics:read', 'companies:read', 'metrics:read'],
    });
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      investorId: investor.id,
      environment: 'test',
      hint: `svc_sk_test_…${secret.slice(-4)}`,
      name: null,
      scopes: ['metrics:read', 'companies:read'],
      rateLimit: null,
      createdAt: start,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
    });
    expect(await world.operator.listApiKeys()).toEqual([key]);
    expect(await isAdmitted(world, secret)).toBe(true);
  });

  test('can have an end and a rate limit', async () => {
    const world = createWorld();
    const { id: investorId } = await world.investor();
    for (const rateLimit of [1, 1_000_000]) {
      const input = { investorId, scopes: ['metrics:read'] as const, rateLimit };
      const { key } = await world.operator.createApiKey({ ...input, expiresAt: later(1) });
      expect(key).toMatchObject({ rateLimit, expiresAt: later(1) });
    }
  });

  test('is stored only as a digest, without its secret', async () => {
    const stored: unknown[] = [];
    const world = createWorld(({ apiKeys }) => ({
      apiKeys: {
        ...apiKeys,
        transact: (ownerId, credential, work) =>
          apiKeys.transact(ownerId, credential, (keys) =>
            work({
              ...keys,
              add(...given) {
                stored.push(given);
                return keys.add(...given);
              },
            }),
          ),
      },
    }));
    const { key, keyId } = await world.portfolio();
    expect(JSON.stringify(stored)).not.toContain(key.slice(12, -4));
    const digest = world.ports.cryptography.sha256(key);
    const found = await world.ports.accessFacts.authenticate({
      digest,
      companyId: null,
      now: start,
    });
    expect(found?.key.id).toBe(keyId);
  });

  test.each([
    ['an end at the current time', { expiresAt: start }, 'must lie in the future'],
    [
      'an end in the year 10000',
      { expiresAt: new Date('+010000-01-01T00:00:00Z') },
      'The parameter expiresAt has a value',
    ],
    ['an end in the past', { expiresAt: later(-1) }, 'must lie in the future'],
    [
      'an end that isn’t a valid date',
      { expiresAt: new Date(Number.NaN) },
      'The parameter expiresAt has a value',
    ],
    ['a limit of 0', { rateLimit: 0 }, 'The parameter rateLimit has a value'],
    ['a limit of 1.5', { rateLimit: 1.5 }, 'The parameter rateLimit must be an integer'],
    ['a limit over a million', { rateLimit: 1_000_001 }, 'The parameter rateLimit has a value'],
  ])('is refused with %s', async (_what, change, message) => {
    const world = createWorld();
    const { id } = await world.investor();
    const input = { investorId: id, scopes: ['metrics:read'] as const, ...change };
    await expectRefusalSaying(world.operator.createApiKey(input), 'invalid_parameter', message);
    expect(await world.operator.listApiKeys()).toEqual([]);
  });

  test('requires at least one scope', async () => {
    const world = createWorld();
    const { id: investorId } = await world.investor();
    const attempt = world.operator.createApiKey({ investorId, scopes: [] });
    await expectRefusal(attempt, 'missing_scopes');
  });

  test('requires an existing investor', async () => {
    const { operator } = createWorld();
    await expectRefusalSaying(
      operator.createApiKey({ investorId: 'inv_none', scopes: ['metrics:read'] }),
      'investor_not_found',
      'the investor inv_none doesn’t exist',
    );
  });
});

describe('the name of an API key', () => {
  test('is set when the key is created or later, and trimmed', async () => {
    const world = createWorld();
    const { id: investorId } = await world.investor();
    const input = { investorId, scopes: ['metrics:read'] as const, name: ' nightly ' };
    const { key } = await world.operator.createApiKey(input);
    expect(key.name).toBe('nightly');
    const renamed = { ...key, name: 'weekly' };
    expect(await world.operator.renameApiKey({ id: key.id, name: ' weekly ' })).toEqual(renamed);
    expect(await world.operator.listApiKeys()).toEqual([renamed]);
  });

  test('can also be changed if it is the key of a company', async () => {
    const world = createWorld();
    const { id: companyId } = await world.company();
    const { key } = await world.operator.createCompanyKey({ companyId, name: ' first ' });
    const renamed = { ...key, name: 'second' };
    expect(key.name).toBe('first');
    expect(await world.operator.renameCompanyKey({ id: key.id, name: 'second' })).toEqual(renamed);
    expect(await world.operator.listCompanyKeys()).toEqual([renamed]);
  });

  test('can’t be set for an unknown key and can’t be empty', async () => {
    const { world, keyId } = await aPortfolio();
    for (const id of ['key_none', 'nonsense', '\u0000']) {
      const renaming = world.operator.renameApiKey({ id, name: 'x' });
      await expectRefusalSaying(renaming, 'api_key_not_found', `The key ${id} doesn’t exist.`);
    }
    await expectRefusalSaying(
      world.operator.renameApiKey({ id: keyId, name: ' ' }),
      'invalid_parameter',
      'The parameter name must not be empty',
    );
  });
});

describe('the list of API keys', () => {
  test('contains the keys of all investors or of one investor, oldest first', async () => {
    const world = createWorld();
    const first = await world.portfolio();
    world.clock.advance(1);
    const second = await world.portfolio();
    world.clock.advance(1);
    const third = await world.key(first.investor);
    const ids = async (filter?: { investorId?: string }) =>
      (await world.operator.listApiKeys(filter)).map(({ id }) => id);
    expect(await ids()).toEqual([first.keyId, second.keyId, third.keyId]);
    expect(await ids({})).toEqual([first.keyId, second.keyId, third.keyId]);
    expect(await ids({ investorId: first.investor.id })).toEqual([first.keyId, third.keyId]);
  });

  test('is refused for an unknown investor', async () => {
    const { operator } = createWorld();
    await expectRefusalSaying(
      operator.listApiKeys({ investorId: 'inv_none' }),
      'investor_not_found',
      'the investor inv_none doesn’t exist',
    );
  });
});

describe('a revoked API key', () => {
  test('stops working at once', async () => {
    const { world, key, keyId } = await aPortfolio();
    const before = await keyOf(world, keyId);
    world.clock.advance(hour);
    expect(await world.operator.revokeApiKey({ id: keyId })).toEqual({
      ...before,
      revokedAt: later(hour),
    });
    expect(await isAdmitted(world, key)).toBe(false);
    expect(await keyOf(world, keyId)).toEqual({ ...before, revokedAt: later(hour) });
  });

  test('can be revoked only once, even by two simultaneous calls', async () => {
    const { world, keyId } = await aPortfolio();
    const [first, second] = await Promise.allSettled([
      world.operator.revokeApiKey({ id: keyId }),
      world.operator.revokeApiKey({ id: keyId }),
    ]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({
      status: 'rejected',
      reason: { code: 'api_key_conflict', message: `The key ${keyId} was revoked.` },
    });
  });
});

describe('rotation of an API key', () => {
  test('creates a successor with the same scopes, rate limit and expiry time', async () => {
    const {
      world,
      key: secret,
      keyId,
    } = await aPortfolio({
      environment: 'test',
      scopes: ['metrics:read'],
      rateLimit: 50,
      expiresAt: later(90 * day),
    });
    const old = await keyOf(world, keyId);
    world.clock.advance(hour);
    const { key, secret: newSecret } = await world.operator.rotateApiKey({
      id: keyId,
      overlapMilliseconds: day,
    });
    expect(key).toEqual({
      ...old,
      id: key.id,
      hint: `svc_sk_test_…${newSecret.slice(-4)}`,
      name: null,
      createdAt: later(hour),
    });
    expect(key.id).toMatch(/^key_/);
    expect(key.id).not.toBe(old.id);
    expect(newSecret).not.toBe(secret);
    expect(await keyOf(world, key.id)).toEqual(key);
    expect(await keyOf(world, keyId)).toEqual({
      ...old,
      expiresAt: later(hour + day),
      replacedBy: key.id,
    });
  });

  test.each([
    ['negative', -1, /^The overlap must be a finite number of at least 0\.$/],
    ['not a number', Number.NaN, /overlapMilliseconds/],
    ['infinite', Number.POSITIVE_INFINITY, /overlapMilliseconds/],
    [
      'longer than a date can express',
      1e300,
      /^The overlap must be a finite number of at least 0\.$/,
    ],
  ])('is refused with an overlap that is %s', async (_what, overlap, message) => {
    const { world, keyId } = await aPortfolio({ expiresAt: later(hour) });
    await expectRefusalSaying(
      world.operator.rotateApiKey({ id: keyId, overlapMilliseconds: overlap }),
      'invalid_parameter',
      message,
    );
    expect((await keyOf(world, keyId)).expiresAt).toEqual(later(hour));
    expect(await world.operator.listApiKeys()).toHaveLength(1);
  });

  test('can keep the old key working for at most thirty days if a contact rotates it', async () => {
    const { world, investor, keyId } = await aNewcomer();
    const person = await world.admitInvestorContact(investor.id);
    const rotate = (overlapMilliseconds: number) =>
      world.callers.rotateOwnKey(person, { id: keyId, overlapMilliseconds });
    await expectRefusalSaying(rotate(30 * day + 1), 'invalid_parameter', 'overlapMilliseconds');
    await rotate(30 * day);
    expect((await keyOf(world, keyId)).expiresAt).toEqual(later(30 * day));
  });

  test('is refused if the key has expired, like a revocation', async () => {
    const { world, keyId } = await aPortfolio({ expiresAt: later(hour) });
    world.clock.set(later(hour));
    const { rotateApiKey, revokeApiKey } = world.operator;
    for (const attempt of [rotateApiKey({ id: keyId }), revokeApiKey({ id: keyId })]) {
      await expectRefusalSaying(attempt, 'api_key_conflict', `The key ${keyId} has expired.`);
    }
  });

  test('keeps the successor if the old key is revoked during the overlap', async () => {
    const { world, key: old, keyId } = await aPortfolio();
    const { secret: successor } = await world.operator.rotateApiKey({
      id: keyId,
      overlapMilliseconds: day,
    });
    await world.operator.revokeApiKey({ id: keyId });
    expect([await isAdmitted(world, old), await isAdmitted(world, successor)]).toEqual([
      false,
      true,
    ]);
  });
});

test('investor contacts see the keys of their investor, active keys first', async () => {
  const { world, investor, keyId } = await aNewcomer();
  const person = await world.admitInvestorContact(investor.id);
  await world.newcomer();
  world.clock.advance(1);
  const { key } = await world.callers.createOwnKey(person, { scopes: ['metrics:read'] });
  await world.callers.revokeOwnKey(person, { id: keyId });
  const listed = await world.callers.listOwnKeys(person);
  expect(listed.map(({ id }) => id)).toEqual([key.id, keyId]);
});

test('a contact who has used up the budget can’t create or rotate a key to get more points', async () => {
  const { world, investor } = await aNewcomer();
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
