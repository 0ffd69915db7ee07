import { describe, expect, test, vi } from 'vitest';
import { AccessError } from '#core';
import { createWorld, day, expectRefusal, inTransactions, later, type World } from '../../world.ts';

async function requestIn(world: World): Promise<string> {
  const newcomer = await world.newcomer();
  return (await world.request(newcomer.key, newcomer.companyId)).id;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

async function requestMany(world: World, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await requestIn(world));
  return ids;
}

const watchingLocks = (look: (ids: readonly string[]) => void) =>
  inTransactions((transaction) => ({
    async lockAvailable(ids) {
      look(ids);
      return transaction.lockAvailable(ids);
    },
  }));

describe('the expiry sweeper', () => {
  test('expires requests and grants exactly at their deadline, not a millisecond earlier', async () => {
    const world = createWorld();
    const unanswered = await requestIn(world);
    const granted = await requestIn(world);
    await world.operator.approveAccessRequest({ id: granted, expiresAt: later(30 * day) });
    world.clock.set(later(30 * day - 1));
    expect(await world.background.expireAccessRequests()).toBe(0);
    world.clock.set(later(30 * day));
    expect(await world.background.expireAccessRequests()).toBe(2);
    expect((await world.stored(unanswered)).status).toBe('expired');
    expect((await world.stored(granted)).status).toBe('expired');
    const { events } = await world.operator.listAccessEvents();
    expect(events.filter(({ type }) => type === 'access_request.expired')).toMatchObject([
      { createdAt: later(30 * day), accessRequest: { status: 'expired' } },
      { createdAt: later(30 * day), accessRequest: { status: 'expired' } },
    ]);
  });

  test('expires each request once, even if several processes run the sweeper at the same time', async () => {
    const world = createWorld();
    await requestMany(world, 2);
    world.clock.set(later(30 * day));
    const runs = Array.from({ length: 5 }, () => world.background.expireAccessRequests());
    expect(sum(await Promise.all(runs))).toBe(2);
    expect(await world.background.expireAccessRequests()).toBe(0);
    expect(await world.eventTypes()).toEqual(['created', 'created', 'expired', 'expired']);
  });

  test('expires up to 50 requests per transaction until all due requests have expired', async () => {
    const locked: number[] = [];
    const world = createWorld(watchingLocks(({ length }) => locked.push(length)));
    await requestMany(world, 120);
    world.clock.set(later(30 * day));
    expect(await world.background.expireAccessRequests()).toBe(120);
    expect(locked).toEqual([50, 50, 20]);
  });

  test('stops after the current batch when the service shuts down', async () => {
    const world = createWorld();
    await requestMany(world, 60);
    world.clock.set(later(30 * day));
    let asked = 0;
    const isStopping = () => asked++ === 1;
    expect(await world.background.expireAccessRequests({ isStopping })).toBe(50);
    expect(await world.background.expireAccessRequests()).toBe(10);
  });

  test('opens a transaction only if a deadline has passed', async () => {
    const locked: (readonly string[])[] = [];
    const world = createWorld(watchingLocks((ids) => locked.push(ids)));
    await requestIn(world);
    expect(await world.background.expireAccessRequests()).toBe(0);
    expect(locked).toEqual([]);
  });

  test.each([
    ['of a database error', new Error('the row is broken')],
    [
      'of an error in the service',
      new AccessError('request_conflict', { message: 'the row is broken' }),
    ],
  ])(
    'skips a request that can’t be changed because %s, reports it and retries it in the next run',
    async (_, why) => {
      let isBroken = true;
      let broken = '';
      const world = createWorld(
        watchingLocks((ids) => {
          if (isBroken && ids.includes(broken)) throw why;
        }),
      );
      const [, , third = ''] = await requestMany(world, 120);
      broken = third;
      world.clock.set(later(30 * day));
      await expect(world.background.expireAccessRequests()).rejects.toMatchObject({
        message: 'the sweep skipped 1 access requests',
        cause: { message: expect.stringContaining(broken), cause: why },
      });
      expect((await world.stored(broken)).status).toBe('pending');
      expect((await world.eventTypes()).filter((type) => type === 'expired')).toHaveLength(119);
      isBroken = false;
      expect(await world.background.expireAccessRequests()).toBe(1);
    },
  );

  test('retries requests one by one if the transaction for the whole batch failed', async () => {
    let failures = 0;
    const world = createWorld(
      watchingLocks(() => {
        if (failures++ === 0) throw new Error('a deadlock');
      }),
    );
    await requestMany(world, 3);
    world.clock.set(later(30 * day));
    expect(await world.background.expireAccessRequests()).toBe(3);
  });

  test.each([
    ['in the first transaction', 1],
    ['while it retries requests one by one', 3],
  ])('stops with an error if the database goes down %s', async (_when, failing) => {
    let transactions = 0;
    const world = createWorld();
    await requestMany(world, 5);
    world.clock.set(later(30 * day));
    world.ports.accessRequests.transact = async () => {
      transactions += 1;
      throw transactions < failing
        ? new Error('the row is broken')
        : new AccessError('service_unavailable');
    };
    await expectRefusal(world.background.expireAccessRequests(), 'service_unavailable');
    expect(transactions).toBe(failing);
  });

  test('skips a listed request that isn’t due', async () => {
    const world = createWorld();
    const id = await requestIn(world);
    const list = vi.spyOn(world.ports.accessRequests, 'listPastDeadline');
    list.mockResolvedValue([{ instant: later(day), id }]);
    expect(await world.background.expireAccessRequests()).toBe(0);
    expect((await world.stored(id)).status).toBe('pending');
  });
});

test('the service deletes exactly the idempotency keys that have expired', async () => {
  const world = createWorld();
  const forget = vi.spyOn(world.ports.idempotencyKeys, 'deleteExpired');
  await world.background.deleteExpiredIdempotencyKeys();
  expect(forget.mock.calls).toEqual([[world.clock.now()]]);
});

describe('the notice before a grant ends', () => {
  const grantIn = async (world: World, days: number) =>
    world.grant(await world.newcomer(), ['metrics:read'], later(days * day, world.clock.now()));

  test('is sent once, seven days before the end, even if several processes run, and changes nothing else', async () => {
    const world = createWorld();
    const granted = await grantIn(world, 10);
    world.clock.set(later(3 * day - 1));
    expect(await world.background.announceExpiringGrants()).toBe(0);
    world.clock.set(later(3 * day));
    const runs = Array.from({ length: 5 }, () => world.background.announceExpiringGrants());
    expect(sum(await Promise.all(runs))).toBe(1);
    expect(await world.background.announceExpiringGrants()).toBe(0);
    const announced = await world.stored(granted.id);
    expect(announced).toEqual({
      ...granted,
      expiringAt: null,
      lastEventType: 'access_request.expiring',
    });
    const { events } = await world.operator.listAccessEvents();
    expect(events.at(-1)).toMatchObject({
      type: 'access_request.expiring',
      createdAt: later(3 * day),
      actor: { type: 'clock', id: null },
      accessRequest: announced,
    });
  });
});
