import { describe, expect, test, vi } from 'vitest';
import {
  type AccessRequest,
  type AccessRequestStatus,
  accessRequestStatuses,
  type Page,
} from '#core';
import { pagesOf } from '../../pages.ts';
import { aNewcomer, createWorld, day, expectRefusal, later, type World } from '../../world.ts';

const sides = ['an investor', 'a company'] as const;

/**
 * Creates requests in every state, oldest first, and a function that lists them. The expired one
 * isn't stored as expired yet.
 */
async function everyState(side: (typeof sides)[number], world = createWorld()) {
  const { investor, company, key } = await world.portfolio();
  const [caller, self] = [await world.admit(key), await world.admitCompany(company.id)];
  const ids: Partial<Record<AccessRequestStatus, string>> = {};
  async function ask(status: AccessRequestStatus = 'pending') {
    world.clock.advance(1);
    const { id } =
      side === 'a company'
        ? await world.request((await world.anotherInvestor(company.id)).key, company.id)
        : await world.request(key, (await world.companyOf(investor)).id);
    ids[status] = id;
    return id;
  }
  const { operator } = world;
  await ask('expired');
  world.clock.advance(30 * day);
  await operator.approveAccessRequest({ id: await ask('approved') });
  await operator.declineAccessRequest({ id: await ask('declined') });
  const revoked = await ask('revoked');
  await operator.approveAccessRequest({ id: revoked });
  await operator.revokeAccessRequest({ id: revoked });
  await ask('pending');
  const list = async (input: object = {}): Promise<Page<AccessRequest>> => {
    if (side === 'an investor') return world.callers.listAccessRequests(caller, input);
    const { items, nextCursor } = await world.companies.listReceivedRequests(self, input);
    return { items: items.map(({ accessRequest }) => accessRequest), nextCursor };
  };
  return { world, caller, self, ids, list, ask: () => ask() };
}

describe.each(sides)('the list of access requests of %s', (side) => {
  const newestFirst = ['pending', 'revoked', 'declined', 'approved', 'expired'] as const;

  test('contains only its own requests, newest first, with their current status', async () => {
    const { world } = await everyState(side);
    const { ids, list } = await everyState(side, world);
    const { items, nextCursor } = await list();
    expect(items.map(({ id, status }) => [id, status])).toEqual(
      newestFirst.map((status) => [ids[status], status]),
    );
    expect(nextCursor).toBeNull();
  });

  test('can be filtered by current status', async () => {
    const { ids, list } = await everyState(side);
    for (const status of accessRequestStatuses) {
      expect((await list({ status })).items).toMatchObject([{ id: ids[status], status }]);
    }
  });

  test('comes in pages without gaps or duplicates while new access requests are created', async () => {
    const { ids, list, ask } = await everyState(side);
    const before = newestFirst.map((status) => ids[status]);
    const pages = await pagesOf((cursor) => list({ limit: 2, cursor }), ask);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat().map(({ id }) => id)).toEqual(before);
  });

  test.each([
    { limit: 0 },
    { limit: 201 },
    { limit: 1.5 },
    { limit: '5' },
    { cursor: 5 },
    { cursor: '' },
    { cursor: 'abc.ar_1 or 1=1' },
    { status: 'PENDING' },
  ])('is refused for %j, and the error contains the parameter’s name', async (input) => {
    const { list } = await everyState(side);
    const [parameter = ''] = Object.keys(input);
    await expectRefusal(list(input), 'invalid_parameter', parameter);
  });
});

describe('the list of a company’s requests', () => {
  test('contains the investor’s name for each request', async () => {
    const { world, self } = await everyState('a company');
    const { items } = await world.companies.listReceivedRequests(self);
    for (const { accessRequest, investor } of items) {
      const name = expect.stringMatching(/^Investor /);
      expect(investor).toEqual({ id: accessRequest.investorId, name });
    }
  });

  test('is refused for an unknown parameter', async () => {
    const { world, self } = await everyState('a company');
    const list = world.companies.listReceivedRequests(self, { offset: 3 } as never);
    await expectRefusal(list, 'invalid_parameter', 'offset');
  });
});

describe('the list of an investor’s requests', () => {
  test('can be filtered by company, and is then empty if the company has left the portfolio', async () => {
    const { world, caller, key, investor, companyId } = await aNewcomer();
    const { id } = await world.request(key, companyId);
    await world.request(key, (await world.companyOf(investor)).id);
    const list = async (filter?: string) =>
      (await world.callers.listAccessRequests(caller, { companyId: filter })).items;
    expect(await list(companyId)).toMatchObject([{ id }]);
    expect(await list('no company')).toEqual([]);
    await world.leave({ investor, companyId });
    expect(await list(companyId)).toEqual([]);
    expect(await list()).toContainEqual(expect.objectContaining({ id }));
  });
});

describe('one access request of an investor', () => {
  test('can be read and shows its current status', async () => {
    const { world, caller, list } = await everyState('an investor');
    for (const request of (await list()).items) {
      expect(await world.callers.readAccessRequest(caller, request)).toEqual(request);
    }
  });

  test('isn’t found if it belongs to another investor or doesn’t exist', async () => {
    const { world, caller } = await everyState('an investor');
    const other = await world.newcomer();
    const { id } = await world.request(other.key, other.companyId);
    for (const foreign of [id, 'ar_none', 'nonsense', '']) {
      const read = world.callers.readAccessRequest(caller, { id: foreign });
      await expectRefusal(read, 'access_request_not_found');
    }
  });

  test('causes no database query if its id is malformed', async () => {
    const { world, caller } = await aNewcomer();
    const find = vi.spyOn(world.ports.accessRequests, 'find');
    const longest = `ar_${'x'.repeat(64)}`;
    for (const id of ['ar_', 'xar_1', `${longest}x`, 'ar_\u0000', 'ar_1', longest]) {
      const read = world.callers.readAccessRequest(caller, { id });
      await expectRefusal(read, 'access_request_not_found');
    }
    expect(find.mock.calls).toEqual([['ar_1'], [longest]]);
  });
});

describe('the investor who calls the service', () => {
  test('is the owner of the API key', async () => {
    const world = createWorld();
    await world.newcomer();
    const { caller, investor } = await world.newcomer();
    expect(await world.callers.readInvestor(caller)).toEqual(investor);
  });

  test('causes an unexpected error if the investor doesn’t exist', async () => {
    const { world, caller } = await aNewcomer();
    const reading = world.callers.readInvestor({ ...caller, investorId: 'inv_none' });
    await expect(reading).rejects.toThrow('inv_none');
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
    const { operator, ports } = createWorld();
    const list = vi.spyOn(ports.accessRequests, 'list');
    await operator.listCompanyAccessRequests();
    expect(list.mock.calls).toMatchObject([[{ limit: 10_000 }]]);
  });

  test('is refused for a company that doesn’t exist', async () => {
    const list = createWorld().operator.listCompanyAccessRequests({ companyId: 'co_none' });
    await expectRefusal(list, 'company_not_found', 'the company co_none doesn’t exist');
  });
});

async function requestMany(count: number, world = createWorld()) {
  const { investor, key } = await world.portfolio();
  const requests: AccessRequest[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % 3 === 0) world.clock.advance(1);
    requests.push(await world.request(key, (await world.companyOf(investor)).id));
  }
  const ids = requests
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
  return { world, investor, key, caller: await world.admit(key), ids };
}

const idsOf = (requests: readonly { readonly id: string }[]) => requests.map(({ id }) => id);

describe('pages of access requests', () => {
  test('have 50 requests by default, and up to the given limit', async () => {
    const { world, caller, ids } = await requestMany(51);
    const { items, nextCursor } = await world.callers.listAccessRequests(caller);
    expect(idsOf(items)).toEqual(ids.slice(0, 50));
    expect(nextCursor).not.toBeNull();
    const whole = await world.callers.listAccessRequests(caller, { limit: 51 });
    expect([idsOf(whole.items), whole.nextCursor]).toEqual([ids, null]);
  });

  test('contain the same list forwards and backwards', async () => {
    const { world, caller, ids: all } = await requestMany(7);
    const page = async (input: Parameters<World['callers']['pageAccessRequests']>[1]) => {
      const { edges, ...info } = await world.callers.pageAccessRequests(caller, input);
      const found = edges.map(({ accessRequest }) => accessRequest.id);
      return { found, cursors: edges.map(({ cursor }) => cursor), ...info };
    };
    const isStart = { hasNextPage: true, hasPreviousPage: false };
    const isEnd = { hasNextPage: false, hasPreviousPage: true };
    const first = await page({ first: 3 });
    expect(first).toMatchObject({ found: all.slice(0, 3), ...isStart });
    const second = await page({ first: 3, after: first.cursors.at(-1) });
    expect(second).toMatchObject({
      found: all.slice(3, 6),
      hasNextPage: true,
      hasPreviousPage: true,
    });
    const last = await page({ last: 3 });
    expect(last).toMatchObject({ found: all.slice(4), ...isEnd });
    const before = await page({ last: 10, before: last.cursors[0] });
    expect(before).toMatchObject({ found: all.slice(0, 4), ...isStart });
    const [from, , to] = first.cursors;
    expect(await page({ after: from, before: to })).toMatchObject({ found: [all[1]] });
    expect(await page({ first: 0 })).toMatchObject({ found: [], hasNextPage: true });
    expect(await page({})).toMatchObject({ found: all, hasNextPage: false });
  });

  test('contain and count only access requests that have the requested status now', async () => {
    const { world, caller, ids } = await requestMany(2);
    const [newer, older = ''] = ids;
    const expiresAt = later(day, world.clock.now());
    await world.operator.approveAccessRequest({ id: older, expiresAt });
    world.clock.advance(day);
    const found = async (status?: AccessRequestStatus | null) => {
      const page = await world.callers.pageAccessRequests(caller, { status });
      return [await page.countAll(), ...page.edges.map(({ accessRequest }) => accessRequest.id)];
    };
    expect(await found('expired')).toEqual([1, older]);
    expect(await found('pending')).toEqual([1, newer]);
    expect(await found('approved')).toEqual([0]);
    expect(await found(null)).toEqual([2, newer, older]);
    expect(await found()).toEqual([2, newer, older]);
  });

  test.each([
    [{ after: 'nonsense' }, 'after'],
    [{ before: 'nonsense' }, 'before'],
    [{ first: -1 }, 'first'],
    [{ last: 201 }, 'last'],
    [{ first: 1, last: 1 }, 'first or last'],
    [{ limit: 1 }, 'limit'],
  ])(
    'are refused for %j, and the error contains the parameter’s name',
    async (input, parameter) => {
      const { world, caller } = await aNewcomer();
      const page = world.callers.pageAccessRequests(caller, input as never);
      await expectRefusal(page, 'invalid_parameter', parameter);
    },
  );
});

describe('a walk, which returns all access requests of an investor', () => {
  test('reads each page only when needed, and costs one point per 200 requests after the first 200', async () => {
    const { world, investor, caller, key, ids } = await requestMany(401);
    const remaining = async () => {
      const { rateLimit } = await world.callers.admitCaller(key, 1, caller);
      return rateLimit.remaining + 1;
    };
    const before = await remaining();
    const list = vi.spyOn(world.ports.accessRequests, 'list');
    const walk = world.callers.walkAccessRequests(caller);
    expect(list).not.toHaveBeenCalled();
    const found: string[] = [];
    const lengths: number[] = [];
    for await (const { items } of walk) {
      found.push(...idsOf(items));
      expect(list).toHaveBeenCalledTimes(lengths.push(items.length));
    }
    expect(lengths).toEqual([200, ...Array(8).fill(25), 1]);
    expect(found).toEqual(ids);
    expect(await remaining()).toBe(before - 1 - 2);
    await Array.fromAsync(world.callers.walkAccessRequests(caller, { status: 'declined' }));
    expect(await remaining()).toBe(before - 1 - 2 - 1);
    // A started walk continues beyond the rate limit. The next API call is refused.
    const { key: second } = await world.key(investor, { rateLimit: 2 });
    const other = await world.admit(second);
    const pages = await Array.fromAsync(world.callers.walkAccessRequests(other));
    expect(pages.flatMap(({ items }) => items)).toHaveLength(401);
    const admission = await world.callers.admitCaller(second, 1, other);
    expect('refusal' in admission && admission.refusal.code).toBe('rate_limit_exceeded');
  });

  test('ends when the API key is revoked', async () => {
    const { world, caller } = await requestMany(201);
    const walk = world.callers.walkAccessRequests(caller);
    await walk.next();
    await world.operator.revokeApiKey({ id: caller.credentialId });
    await expectRefusal(walk.next(), 'invalid_api_key');
  });

  test('is refused for an unknown status without a database query', async () => {
    const { world, caller } = await aNewcomer();
    const walk = world.callers.walkAccessRequests(caller, { status: 'unknown' as never });
    await expectRefusal(walk.next(), 'invalid_parameter', 'status');
  });
});
