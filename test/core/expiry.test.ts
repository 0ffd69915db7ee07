import { describe, expect, test } from 'vitest';
import { createWorld, day, later, type World } from './world.ts';

async function requestIn(world: World): Promise<string> {
  const newcomer = await world.newcomer();
  return (await world.request(newcomer.key, newcomer.companyId)).id;
}

describe('the sweeper writes down what the clock has decided', () => {
  test('at the very instant, and not a millisecond before', async () => {
    const world = createWorld();
    const unanswered = await requestIn(world);
    const granted = await requestIn(world);
    await world.operator.approveAccessRequest(granted, { expiresAt: later(30 * day) });
    world.clock.set(later(30 * day - 1));
    expect(await world.operator.expireAccessRequests()).toBe(0);
    world.clock.set(later(30 * day));
    expect(await world.operator.expireAccessRequests()).toBe(2);
    expect((await world.stored(unanswered)).status).toBe('expired');
    expect((await world.stored(granted)).status).toBe('expired');
    const { events } = await world.operator.listAccessEvents();
    expect(events.filter(({ type }) => type === 'access_request.expired')).toMatchObject([
      { createdAt: later(30 * day), accessRequest: { status: 'expired' } },
      { createdAt: later(30 * day), accessRequest: { status: 'expired' } },
    ]);
  });

  test('once: a second run finds nothing to do', async () => {
    const world = createWorld();
    await requestIn(world);
    world.clock.set(later(30 * day));
    expect([
      await world.operator.expireAccessRequests(),
      await world.operator.expireAccessRequests(),
    ]).toEqual([1, 0]);
    expect(await world.eventTypes()).toEqual(['created', 'expired']);
  });

  test('once, even when any number of processes run it at a time', async () => {
    const world = createWorld();
    await requestIn(world);
    await requestIn(world);
    world.clock.set(later(30 * day));
    const runs = Array.from({ length: 5 }, () => world.operator.expireAccessRequests());
    const moved = await Promise.all(runs);
    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect((await world.eventTypes()).filter((type) => type === 'expired')).toHaveLength(2);
  });

  test('leaving alone what has ended otherwise', async () => {
    const world = createWorld();
    const declined = await requestIn(world);
    await world.operator.declineAccessRequest(declined);
    world.clock.set(later(30 * day));
    expect(await world.operator.expireAccessRequests()).toBe(0);
    expect((await world.stored(declined)).status).toBe('declined');
  });

  test('at most a hundred at a time, so that no run takes long', async () => {
    const limits: number[] = [];
    const world = createWorld(({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        listPastDeadline: (now, limit) => {
          limits.push(limit);
          return accessRequests.listPastDeadline(now, limit);
        },
      },
    }));
    await world.operator.expireAccessRequests();
    expect(limits).toEqual([100]);
  });

  test('and stops at an error that is not about the request itself', async () => {
    const broken = new Error('the connection broke');
    let isBroken = false;
    const world = createWorld(({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        transact: (work) => (isBroken ? Promise.reject(broken) : accessRequests.transact(work)),
      },
    }));
    await requestIn(world);
    world.clock.set(later(30 * day));
    isBroken = true;
    await expect(world.operator.expireAccessRequests()).rejects.toBe(broken);
  });

  test('and forgets old idempotency keys, as of now', async () => {
    const forgotten: Date[] = [];
    const world = createWorld(({ idempotencyKeys }) => ({
      idempotencyKeys: {
        ...idempotencyKeys,
        forgetExpired: async (now) => {
          forgotten.push(now);
        },
      },
    }));
    await world.operator.expireAccessRequests();
    expect(forgotten).toEqual([world.clock.now()]);
  });
});

describe('before the sweeper has run, everybody sees what the clock has decided', () => {
  test('the caller in its list, the operator in its list; what is stored lags behind', async () => {
    const world = createWorld();
    const newcomer = await world.newcomer();
    const { id } = await world.request(newcomer.key, newcomer.companyId);
    world.clock.set(later(30 * day));
    expect((await world.stored(id)).status).toBe('pending');
    expect(await world.callers.listAccessRequests(newcomer.caller, {})).toMatchObject([
      { id, status: 'expired' },
    ]);
    expect(await world.operator.listCompanyAccessRequests()).toMatchObject([
      { id, status: 'expired' },
    ]);
  });
});

describe('the end of a grant is announced', () => {
  async function grantIn(world: World, days: number): Promise<string> {
    const { id } = await world.grant(
      await world.newcomer(),
      ['metrics:read'],
      later(days * day, world.clock.now()),
    );
    return id;
  }

  test('seven days before it, once, by any number of processes, and nothing else changes', async () => {
    const world = createWorld();
    const id = await grantIn(world, 10);
    const granted = await world.stored(id);
    world.clock.set(later(3 * day - 1));
    expect(await world.operator.announceExpiringGrants()).toBe(0);
    world.clock.set(later(3 * day));
    const runs = Array.from({ length: 5 }, () => world.operator.announceExpiringGrants());
    expect((await Promise.all(runs)).reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await world.operator.announceExpiringGrants()).toBe(0);
    expect(await world.stored(id)).toEqual({
      ...granted,
      expiringAt: null,
      lastEventType: 'access_request.expiring',
    });
    const { events } = await world.operator.listAccessEvents();
    expect(events.at(-1)).toMatchObject({
      type: 'access_request.expiring',
      createdAt: later(3 * day),
      actor: { type: 'clock', id: null },
    });
  });

  test('not when it was granted for seven days or less, and not when it has ended before', async () => {
    const world = createWorld();
    await grantIn(world, 7);
    await world.operator.revokeAccessRequest(await grantIn(world, 10));
    await grantIn(world, 10);
    world.clock.set(later(10 * day));
    expect(await world.operator.announceExpiringGrants()).toBe(0);
    await world.operator.expireAccessRequests();
    expect(await world.eventTypes()).not.toContain('expiring');
  });

  test('again when the grant was extended meanwhile', async () => {
    const world = createWorld();
    const id = await grantIn(world, 10);
    world.clock.set(later(3 * day));
    await world.operator.announceExpiringGrants();
    await world.operator.extendAccessRequest(id, later(20 * day));
    expect(await world.operator.announceExpiringGrants()).toBe(0);
    world.clock.set(later(13 * day));
    expect(await world.operator.announceExpiringGrants()).toBe(1);
  });
});
