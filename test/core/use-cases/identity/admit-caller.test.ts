import { describe, expect, test, vi } from 'vitest';
import { AccessError, noPrefetchedFacts, type RateLimitState } from '#core';
import { nodeCryptography } from '../../../memory/cryptography.ts';
import { aCall } from '../../../support/call.ts';
import { createCountingWorld } from '../../builders.ts';
import { aPortfolio, createWorld, day, later, start } from '../../world.ts';

const unknownKey = `svc_sk_live_${'A'.repeat(32)}`;

async function refusalOf(world: ReturnType<typeof createWorld>, credential: string) {
  const admission = await world.callers.admitCaller(credential, 1, aCall);
  if (!('refusal' in admission)) throw new Error('the caller was admitted');
  return admission;
}

describe('an active key', () => {
  test('admits its caller with the key’s scopes, environment and investor', async () => {
    const { world, key, keyId, investor } = await aPortfolio({
      environment: 'test',
      scopes: ['companies:read', 'metrics:read'],
    });
    expect(await world.callers.admitCaller(key, 1, aCall)).toEqual({
      caller: {
        kind: 'investor',
        credentialId: keyId,
        investorId: investor.id,
        environment: 'test',
        scopes: ['companies:read', 'metrics:read'],
        prefetchedFacts: noPrefetchedFacts,
        budget: { bucket: nodeCryptography.sha256(key), limit: null, owner: 'API key' },
        ...aCall,
      },
      rateLimit: { limit: 600, remaining: 599, resetSeconds: 60, exceeded: false },
    });
  });

  test('is charged for each API call against the key’s limit', async () => {
    const world = createCountingWorld();
    const { key } = await world.portfolio({ rateLimit: 20 });
    const { key: other } = await world.portfolio();
    const admissions = [
      await world.callers.admitCaller(key, 3, aCall),
      await world.callers.admitCaller(other, 1, aCall),
    ];
    expect(world.charges).toEqual([
      [nodeCryptography.sha256(key), 3],
      [nodeCryptography.sha256(other), 1],
    ]);
    expect(admissions.map(({ rateLimit }) => rateLimit)).toMatchObject([
      { limit: 20, remaining: 17 },
      { limit: 600, remaining: 599 },
    ]);
  });

  test('admits until one millisecond before it expires', async () => {
    const { world, key } = await aPortfolio({ expiresAt: later(day) });
    world.clock.set(later(day - 1));
    expect(await world.callers.admitCaller(key, 1, aCall)).toHaveProperty('caller');
    world.clock.set(later(day));
    expect((await refusalOf(world, key)).refusal.code).toBe('invalid_api_key');
  });
});

describe('credentials that don’t work', () => {
  test('get the same error message whether they are malformed, unknown, revoked or expired', async () => {
    const world = createWorld();
    const revoked = await world.portfolio();
    await world.operator.revokeApiKey({ id: revoked.keyId });
    const expired = await world.portfolio({ expiresAt: later(1) });
    world.clock.advance(1);
    const said = await Promise.all(
      ['', 'nonsense', 'svc_sk_live_tooShort', unknownKey, revoked.key, expired.key].map(
        async (credential) => {
          const { refusal, rateLimit } = await refusalOf(world, credential);
          const { code, type, message, retryAfterSeconds } = refusal;
          return { code, type, message, retryAfterSeconds, rateLimit };
        },
      ),
    );
    expect(new Set(said.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(said[0]).toEqual({
      code: 'invalid_api_key',
      type: 'authentication_error',
      message: 'The API key is not valid.',
      retryAfterSeconds: undefined,
      rateLimit: { limit: 600, remaining: 599, resetSeconds: 60, exceeded: false },
    });
  });

  test('cause the same work if unknown, revoked or expired, so response times reveal nothing', async () => {
    const steps: string[] = [];
    const world = createWorld(({ rateLimiter, accessFacts }) => ({
      accessFacts: {
        ...accessFacts,
        authenticate(question) {
          steps.push('authenticate');
          return accessFacts.authenticate(question);
        },
      },
      rateLimiter: {
        policy: rateLimiter.policy,
        spend(bucket, points) {
          steps.push(`spend ${points} of ${bucket.replace(/[0-9a-f]{64}/, 'its digest')}`);
          return rateLimiter.spend(bucket, points);
        },
      },
    }));
    const revoked = await world.portfolio();
    await world.operator.revokeApiKey({ id: revoked.keyId });
    const expired = await world.portfolio({ expiresAt: later(1) });
    world.clock.advance(1);
    const taken: string[][] = [];
    for (const credential of [unknownKey, revoked.key, expired.key]) {
      steps.length = 0;
      await refusalOf(world, credential);
      taken.push([...steps]);
    }
    const same = ['authenticate', 'spend 1 of its digest', 'spend 1 of ended:its digest'];
    expect(taken).toEqual([same, same, same]);
  });

  test('cause no database query if they are malformed', async () => {
    const world = createWorld();
    const lookUp = vi.spyOn(world.ports.accessFacts, 'authenticate');
    expect((await refusalOf(world, 'nonsense')).refusal.code).toBe('invalid_api_key');
    expect(lookUp).not.toHaveBeenCalled();
    expect((await refusalOf(world, unknownKey)).refusal.code).toBe('invalid_api_key');
    expect(lookUp).toHaveBeenCalled();
  });
});

describe('a revoked key', () => {
  test('is refused as invalid even if its limit is used up, and is charged against a separate limit', async () => {
    const world = createCountingWorld();
    const { key, keyId } = await world.portfolio({ rateLimit: 2 });
    for (let call = 0; call < 3; call += 1) await world.callers.admitCaller(key, 1, aCall);
    expect((await refusalOf(world, key)).refusal.code).toBe('rate_limit_exceeded');
    await world.operator.revokeApiKey({ id: keyId });
    expect(await refusalOf(world, key)).toMatchObject({
      refusal: { code: 'invalid_api_key' },
      rateLimit: { limit: 600, remaining: 599 },
    });
    expect(world.charges.at(-1)).toEqual([`ended:${nodeCryptography.sha256(key)}`, 1]);
    await world.callers.admitCaller(key, 599, aCall);
    expect((await refusalOf(world, key)).refusal.code).toBe('rate_limit_exceeded');
  });
});

describe('a key that ends during its look-up', () => {
  test.each([
    ['expires', { expiresAt: later(1) }],
    ['has been revoked', { expiresAt: null, revokedAt: start }],
  ])('isn’t admitted if it %s', async (_what, end) => {
    const { world, key } = await aPortfolio();
    const { authenticate } = world.ports.accessFacts;
    world.ports.accessFacts.authenticate = async (question) => {
      const found = await authenticate(question);
      world.clock.advance(1);
      return found && { ...found, key: { ...found.key, ...end } };
    };
    expect((await refusalOf(world, key)).refusal.code).toBe('invalid_api_key');
  });
});

describe('an unknown credential', () => {
  test('is charged against a separate default limit, which is stored under its digest', async () => {
    const world = createCountingWorld();
    await refusalOf(world, unknownKey);
    await refusalOf(world, 'nonsense');
    expect(world.charges).toEqual([
      [nodeCryptography.sha256(unknownKey), 1],
      [`ended:${nodeCryptography.sha256(unknownKey)}`, 1],
      [nodeCryptography.sha256('nonsense'), 1],
    ]);
  });

  test('gets rate_limit_exceeded instead of invalid_api_key once this limit is used up', async () => {
    const world = createWorld();
    await world.callers.admitCaller(unknownKey, 600, aCall);
    expect((await refusalOf(world, unknownKey)).refusal.code).toBe('rate_limit_exceeded');
  });
});

describe('the authentication and the rate limiter', () => {
  /** Lets the test decide when and how the authentication query ends. */
  function createPendingWorld() {
    const { promise, resolve, reject } = Promise.withResolvers<null>();
    const world = createCountingWorld(({ accessFacts }) => ({
      accessFacts: { ...accessFacts, authenticate: () => promise },
    }));
    return { world, resolve, reject };
  }

  test('run in parallel, so that neither waits for the other', async () => {
    const { world, resolve } = createPendingWorld();
    const admission = world.callers.admitCaller(unknownKey, 1, aCall);
    expect(world.charges).toEqual([[nodeCryptography.sha256(unknownKey), 1]]);
    resolve(null);
    expect(await admission).toMatchObject({ refusal: { code: 'invalid_api_key' } });
  });

  test('return the remaining points even if the authentication is unavailable', async () => {
    const { world, reject } = createPendingWorld();
    const admission = world.callers.admitCaller(unknownKey, 7, aCall);
    reject(new AccessError('service_unavailable'));
    expect(await admission).toMatchObject({
      refusal: { code: 'service_unavailable' },
      rateLimit: { limit: 600, remaining: 593 },
    });
  });

  test('throw unexpected errors unchanged', async () => {
    const { world, reject } = createPendingWorld();
    const admission = world.callers.admitCaller(unknownKey, 1, aCall);
    reject(new Error('broken'));
    await expect(admission).rejects.toThrow('broken');
  });
});

describe('a caller that has exceeded its rate limit', () => {
  test('is refused until the limit resets, and gets the remaining seconds', async () => {
    const { world, key } = await aPortfolio({ rateLimit: 2 });
    await world.callers.admitCaller(key, 1, aCall);
    expect(await world.callers.admitCaller(key, 1, aCall)).toMatchObject({
      caller: {},
      rateLimit: { limit: 2, remaining: 0 },
    });
    world.clock.set(later(17_001, start));
    const { refusal, rateLimit } = await refusalOf(world, key);
    expect(refusal).toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'The rate limit of this API key is exceeded.',
      retryAfterSeconds: 43,
    });
    expect(rateLimit).toEqual<RateLimitState>({
      limit: 2,
      remaining: 0,
      resetSeconds: 43,
      exceeded: true,
    });
    world.clock.advance(43_000);
    expect(await world.callers.admitCaller(key, 1, aCall)).toHaveProperty('caller');
  });
});
