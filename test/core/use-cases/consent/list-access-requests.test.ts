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

/** One investor with a request in each state, oldest first; the deadline of the expired one has come, but nobody swept. */
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

describe('the requests of a caller', () => {
  test('are all of its investor, newest first, with the status that they have now', async () => {
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

  test.each(accessRequestStatuses)('filtered, are those that are %s now', async (status) => {
    const { world, caller, ids } = await everyState();
    const { items } = await world.callers.listAccessRequests(caller, { status });
    expect(items.map(({ id }) => id)).toEqual([ids[status]]);
  });

  test('to one company are listed alone, and none after the company has left the portfolio', async () => {
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

  test('stay visible when the company has left the portfolio', async () => {
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

describe('one request of a caller', () => {
  test.each(accessRequestStatuses)(
    'is found with the status that it has now: %s',
    async (status) => {
      const { world, caller, ids } = await everyState();
      const { items } = await world.callers.listAccessRequests(caller, { status });
      expect([await world.callers.readAccessRequest(caller, { id: ids[status] })]).toEqual(items);
    },
  );

  test('is not found when it is another investor’s, or never was', async () => {
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

  test('of an id of impossible form is not looked up', async () => {
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
  test('is the one behind its key', async () => {
    const world = createWorld();
    await world.newcomer();
    const { caller, investor } = await world.newcomer();
    expect(await world.callers.readInvestor(caller)).toEqual(investor);
  });

  test('that is gone is nothing that was foreseen', async () => {
    const { world, caller } = await newcomerIn(createWorld());
    await expect(world.callers.readInvestor({ ...caller, investorId: 'inv_none' })).rejects.toThrow(
      'inv_none',
    );
  });
});

describe('the requests that an operator lists', () => {
  test('are those of all investors, newest first, or of one company, one status or both, now', async () => {
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

  test('are the newest ten thousand at most', async () => {
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

  test('of a company that does not exist are refused', async () => {
    const { operator } = createWorld();
    await expectRefusalSaying(
      operator.listCompanyAccessRequests({ companyId: 'co_none' }),
      'company_not_found',
      'there is no company co_none',
    );
  });
});
