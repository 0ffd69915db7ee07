import { describe, expect, test } from 'vitest';
import { accessRequestStatuses } from '#core';
import {
  createWorld,
  day,
  expectRefusal,
  expectRefusalSaying,
  later,
  newcomerIn,
} from '../../world.ts';

/** One investor with a request in each state, oldest first. The sweeper hasn't run for the expired one. */
async function everyState(world = createWorld()) {
  const { investor, key } = await world.portfolio();
  const ask = async () => {
    world.clock.advance(1);
    return (await world.request(key, (await world.companyOf(investor)).id)).id;
  };
  const { operator } = world;
  const end = later(day, world.clock.now());
  const expired = await ask();
  await operator.approveAccessRequest({ id: expired, expiresAt: end });
  world.clock.set(end);
  const pending = await ask();
  const approved = await ask();
  await operator.approveAccessRequest({ id: approved });
  const declined = await ask();
  await operator.declineAccessRequest({ id: declined });
  const revoked = await ask();
  await operator.approveAccessRequest({ id: revoked });
  await operator.revokeAccessRequest({ id: revoked });
  const ids = { expired, pending, approved, declined, revoked };
  return { world, caller: await world.admit(key), ids };
}

describe('the list of an investor’s access requests', () => {
  test('contains all requests, newest first, with their current status', async () => {
    const { world, caller, ids } = await everyState();
    await everyState(world);
    const { items } = await world.callers.listAccessRequests(caller, {});
    expect(items.map(({ id, status }) => [id, status])).toEqual([
      [ids.revoked, 'revoked'],
      [ids.declined, 'declined'],
      [ids.approved, 'approved'],
      [ids.pending, 'pending'],
      [ids.expired, 'expired'],
    ]);
  });

  test.each(accessRequestStatuses)('can be filtered by current status: %s', async (status) => {
    const { world, caller, ids } = await everyState();
    const { items } = await world.callers.listAccessRequests(caller, { status });
    expect(items.map(({ id }) => id)).toEqual([ids[status]]);
  });

  test('can be filtered by company and is empty once that company has left the portfolio', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const { key, investor, caller, companyId } = newcomer;
    const { id } = await world.request(key, companyId);
    await world.request(key, (await world.companyOf(investor)).id);
    const list = async (filter: string) =>
      (await world.callers.listAccessRequests(caller, { companyId: filter })).items.map(
        (one) => one.id,
      );
    expect(await list(companyId)).toEqual([id]);
    expect(await list('no company')).toEqual([]);
    await world.operator.removeFromPortfolio({ investorId: investor.id, companyId });
    expect(await list(companyId)).toEqual([]);
  });

  test('still contains requests to a company that has left the portfolio', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const { id } = await world.request(newcomer.key, newcomer.companyId);
    await world.operator.removeFromPortfolio({
      investorId: newcomer.investor.id,
      companyId: newcomer.companyId,
    });
    const { items } = await world.callers.listAccessRequests(newcomer.caller, {});
    expect(items).toMatchObject([{ id }]);
  });
});

describe('one access request of an investor', () => {
  test.each(accessRequestStatuses)(
    'can be read and shows its current status: %s',
    async (status) => {
      const { world, caller, ids } = await everyState();
      const { items } = await world.callers.listAccessRequests(caller, { status });
      expect([await world.callers.readAccessRequest(caller, { id: ids[status] })]).toEqual(items);
    },
  );

  test('isn’t found if it belongs to another investor or doesn’t exist', async () => {
    const { world, caller } = await everyState();
    const other = await world.newcomer();
    const { id } = await world.request(other.key, other.companyId);
    for (const foreign of [id, 'ar_none', 'nonsense', '']) {
      await expectRefusal(
        world.callers.readAccessRequest(caller, { id: foreign }),
        'access_request_not_found',
      );
    }
  });

  test('isn’t looked up if its id is malformed', async () => {
    const asked: string[] = [];
    const world = createWorld(({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        find: async (id) => {
          asked.push(id);
          return null;
        },
      },
    }));
    const { caller } = await world.newcomer();
    const longest = `ar_${'x'.repeat(64)}`;
    for (const id of ['ar_', 'xar_1', `${longest}x`, 'ar_\u0000', 'ar_1', longest]) {
      await expectRefusal(
        world.callers.readAccessRequest(caller, { id }),
        'access_request_not_found',
      );
    }
    expect(asked).toEqual(['ar_1', longest]);
  });
});

describe('the investor of a caller', () => {
  test('is the owner of the API key', async () => {
    const world = createWorld();
    await world.newcomer();
    const { caller, investor } = await world.newcomer();
    expect(await world.callers.readInvestor(caller)).toEqual(investor);
  });

  test('causes an unexpected error if it doesn’t exist', async () => {
    const { world, caller } = await newcomerIn(createWorld());
    await expect(world.callers.readInvestor({ ...caller, investorId: 'inv_none' })).rejects.toThrow(
      'inv_none',
    );
  });
});

describe('the list of access requests for an operator', () => {
  test('contains requests of all investors, newest first, and can be filtered by company and status', async () => {
    const world = createWorld();
    const [first, second] = [await world.newcomer(), await world.newcomer()];
    const granted = await world.grant(first);
    world.clock.advance(1);
    const pending = await world.request(second.key, second.companyId);
    const list = world.operator.listCompanyAccessRequests;
    const { companyId } = first;
    expect(await list()).toEqual([pending, granted]);
    expect(await list({ companyId })).toEqual([granted]);
    expect(await list({ status: 'pending' })).toEqual([pending]);
    expect(await list({ companyId, status: 'pending' })).toEqual([]);
    world.clock.advance(30 * day);
    expect(await list()).toMatchObject([{ status: 'expired' }, { status: 'approved' }]);
  });

  test('contains at most the newest 10,000 requests', async () => {
    const limits: number[] = [];
    const world = createWorld(({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        list: async ({ limit }) => {
          limits.push(limit);
          return [];
        },
      },
    }));
    await world.operator.listCompanyAccessRequests();
    expect(limits).toEqual([10_000]);
  });

  test('is refused for a company that doesn’t exist', async () => {
    const { operator } = createWorld();
    await expectRefusalSaying(
      operator.listCompanyAccessRequests({ companyId: 'co_none' }),
      'company_not_found',
      'the company co_none doesn’t exist',
    );
  });
});
