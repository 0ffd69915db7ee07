import { describe, expect, test, vi } from 'vitest';
import type { AccessRequests } from '#core';
import {
  aNewcomer,
  createWorld,
  day,
  expectRefusal,
  later,
  type Newcomer,
  newcomerIn,
  start,
  type World,
} from '../../world.ts';

const body = { scopes: ['metrics:read' as const], purpose: 'Quarterly reporting' };

function post(
  world: World,
  { caller, companyId }: Pick<Newcomer, 'caller' | 'companyId'>,
  changes: Partial<Parameters<World['callers']['requestAccess']>[1]> = {},
  key = 'once',
) {
  return world.callers.requestAccess(caller, {
    companyId,
    ...body,
    idempotencyKey: key,
    ...changes,
  });
}

function createHeldWorld() {
  let before: () => Promise<void> = async () => undefined;
  const world = createWorld(({ accessRequests }) => {
    const transact: AccessRequests['transact'] = async (credential, work) => {
      const step = before;
      before = async () => undefined;
      await step();
      return accessRequests.transact(credential, work);
    };
    return { accessRequests: { ...accessRequests, transact } };
  });
  return {
    ...world,
    failNext(error: Error) {
      before = () => Promise.reject(error);
    },
    /** Stops the next transaction before it begins. `held` resolves when it has stopped, and `letGo` continues it. */
    holdNext() {
      const arrival = Promise.withResolvers<void>();
      const departure = Promise.withResolvers<void>();
      before = () => {
        arrival.resolve();
        return departure.promise;
      };
      return { held: arrival.promise, letGo: () => departure.resolve() };
    },
  };
}

describe('an access request that is sent again with the same idempotency key and body', () => {
  test('returns the same outcome, marked as replayed', async () => {
    const { world, newcomer } = await aNewcomer();
    const first = await post(world, newcomer);
    expect(first).toMatchObject({ outcome: 'created', replayed: false });
    expect(await post(world, newcomer)).toEqual({ ...first, replayed: true });
    expect(await world.eventTypes()).toEqual(['created']);
  });

  test('is also replayed with empty terms, because they don’t change the fingerprint', async () => {
    const { world, newcomer } = await aNewcomer();
    const { claim } = world.ports.idempotencyKeys;
    const claimed = vi.spyOn(world.ports.idempotencyKeys, 'claim').mockImplementation(claim);
    await post(world, newcomer);
    expect(await post(world, newcomer, { terms: {} })).toMatchObject({ replayed: true });
    const { caller, companyId } = newcomer;
    const { scopes, purpose } = body;
    const before = { investorId: caller.investorId, companyId, requestedScopes: scopes, purpose };
    const fingerprint = world.ports.cryptography.sha256(JSON.stringify(before));
    expect(claimed.mock.calls.map(([{ fingerprint: each }]) => each)).toEqual([
      fingerprint,
      fingerprint,
    ]);
  });

  test('returns the outcome "existing" again', async () => {
    const { world, newcomer } = await aNewcomer();
    const { accessRequest } = await post(world, newcomer, { idempotencyKey: null });
    const expected = { outcome: 'existing', accessRequest };
    expect(await post(world, newcomer)).toEqual({ ...expected, replayed: false });
    expect(await post(world, newcomer)).toEqual({ ...expected, replayed: true });
  });

  test('returns the current state of the request', async () => {
    const { world, newcomer } = await aNewcomer();
    const { id } = (await post(world, newcomer)).accessRequest;
    const { accessRequest: approved } = await world.operator.approveAccessRequest({
      id,
      expiresAt: later(day / 2),
    });
    expect((await post(world, newcomer)).accessRequest).toEqual(approved);
    world.clock.set(later(day / 2));
    expect((await post(world, newcomer)).accessRequest).toEqual({
      ...approved,
      status: 'expired',
      version: expect.not.stringMatching(`^${approved.version}$`),
    });
  });

  test('returns the same outcome without duplicate scopes, or with a missing purpose instead of null', async () => {
    const { world, newcomer } = await aNewcomer();
    await post(world, newcomer, { purpose: null });
    const scopes = ['metrics:read' as const, 'metrics:read' as const];
    const again = await post(world, newcomer, { scopes, purpose: undefined });
    expect(again.replayed).toBe(true);
  });

  test('is refused with company_not_found if the company has left the portfolio in the meantime', async () => {
    const { world, newcomer } = await aNewcomer();
    await post(world, newcomer);
    const { investor, companyId } = newcomer;
    await world.leave({ investor, companyId });
    await expectRefusal(post(world, newcomer), 'company_not_found');
  });
});

describe('an access request with a used idempotency key and another body', () => {
  test.each([
    ['other scopes', { scopes: ['sources:read' as const] }],
    ['another purpose', { purpose: 'Something else' }],
    ['no purpose', { purpose: null }],
  ])('is refused: %s', async (_what, changes) => {
    const { world, newcomer } = await aNewcomer();
    await post(world, newcomer);
    await expectRefusal(post(world, newcomer, changes), 'idempotency_key_reused');
  });

  test('is refused for another company in the portfolio', async () => {
    const { world, newcomer } = await aNewcomer();
    await post(world, newcomer);
    const { id } = await world.companyOf(newcomer.investor);
    const other = post(world, newcomer, { companyId: id });
    await expectRefusal(other, 'idempotency_key_reused');
  });

  test('is refused even while the first request is still running', async () => {
    const { world, newcomer } = await newcomerIn(createHeldWorld());
    const { held, letGo } = world.holdNext();
    const first = post(world, newcomer);
    await held;
    await expectRefusal(post(world, newcomer, { purpose: null }), 'idempotency_key_reused');
    letGo();
    await first;
  });
});

describe('while the first access request with an idempotency key is running', () => {
  test('a second request with the same key is refused, and a later retry gets the first outcome', async () => {
    const { world, newcomer } = await newcomerIn(createHeldWorld());
    const { held, letGo } = world.holdNext();
    const first = post(world, newcomer);
    await held;
    await expectRefusal(post(world, newcomer), 'idempotency_key_in_use');
    letGo();
    expect(await post(world, newcomer)).toEqual({ ...(await first), replayed: true });
  });

  test('the idempotency key is locked for one minute, and then another process can use it', async () => {
    const { world, newcomer } = await newcomerIn(createHeldWorld());
    const { held, letGo } = world.holdNext();
    const dead = post(world, newcomer);
    await held;
    world.clock.set(later(59_999));
    await expectRefusal(post(world, newcomer), 'idempotency_key_in_use');
    world.clock.set(later(60_000));
    const second = await post(world, newcomer);
    expect(second).toMatchObject({ outcome: 'created', replayed: false });
    // The first process was only slow. Its late change would be a duplicate and is refused.
    letGo();
    await expectRefusal(dead, 'idempotency_key_in_use');
    expect(await world.eventTypes()).toEqual(['created']);
    expect(await post(world, newcomer)).toEqual({ ...second, replayed: true });
  });
});

test('each attempt reserves the idempotency key, locks it for a minute and stores it for 24 hours', async () => {
  const { world, newcomer } = await aNewcomer();
  const claim = vi.spyOn(world.ports.idempotencyKeys, 'claim');
  await post(world, newcomer);
  await post(world, newcomer);
  const [first, second] = claim.mock.calls.flat();
  expect(first).toEqual({
    id: expect.stringMatching(/^clm_/),
    investorId: newcomer.investor.id,
    key: 'once',
    fingerprint: second?.fingerprint,
    claimedAt: start,
    leasedUntil: later(60_000),
    expiresAt: later(day),
  });
  expect(second?.id).not.toBe(first?.id);
  expect(first?.fingerprint).toHaveLength(64);
});

describe('after an access request failed or was refused', () => {
  test('it can be sent again at once with the same idempotency key', async () => {
    const { world, newcomer } = await newcomerIn(createHeldWorld());
    const broken = new Error('the connection broke');
    world.failNext(broken);
    await expect(post(world, newcomer)).rejects.toBe(broken);
    expect(await post(world, newcomer)).toMatchObject({ outcome: 'created', replayed: false });
  });

  test('it is checked again when it is sent again with the same idempotency key', async () => {
    const { world, newcomer } = await aNewcomer();
    const { accessRequest } = await post(world, newcomer, {}, 'first');
    const more = { scopes: ['metrics:read' as const, 'sources:read' as const] };
    await expectRefusal(post(world, newcomer, more, 'second'), 'scope_conflict');
    await world.operator.declineAccessRequest({ id: accessRequest.id });
    const again = await post(world, newcomer, more, 'second');
    expect(again).toMatchObject({ outcome: 'created', replayed: false });
  });

  test('the caller gets the original error even if the idempotency key can’t be released', async () => {
    const broken = new Error('the connection broke');
    const { world, newcomer } = await aNewcomer();
    const { accessRequests, idempotencyKeys } = world.ports;
    vi.spyOn(accessRequests, 'transact').mockRejectedValue(broken);
    vi.spyOn(idempotencyKeys, 'release').mockRejectedValue(new Error('broken as well'));
    await expect(post(world, newcomer)).rejects.toBe(broken);
  });
});

test('a repeated request throws an unexpected error if its stored access request is missing', async () => {
  const { world, newcomer } = await aNewcomer();
  const { id } = (await post(world, newcomer)).accessRequest;
  vi.spyOn(world.ports.accessRequests, 'find').mockResolvedValue(null);
  await expect(post(world, newcomer)).rejects.toThrow(`the access request ${id} is gone`);
});
