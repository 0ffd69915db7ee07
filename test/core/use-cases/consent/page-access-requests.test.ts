import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../support/property-runs.ts';
import { pagesOf } from '../../pages.ts';
import {
  createWorld,
  day,
  expectRefusal,
  expectRefusalSaying,
  later,
  newcomerIn,
  type World,
} from '../../world.ts';

/** An investor with `count` requests, some created at the same instant. Ids are oldest first. */
async function requestMany(count: number, world = createWorld()) {
  const { investor, key } = await world.portfolio();
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % 3 === 0) world.clock.advance(1);
    ids.push((await world.request(key, (await world.companyOf(investor)).id)).id);
  }
  return { world, investor, key, caller: await world.admit(key), ids };
}

/** Sorts the ids like the list. */
async function sorted(world: World, ids: readonly string[]): Promise<string[]> {
  const requests = await Promise.all(ids.map((id) => world.stored(id)));
  return requests
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}

const idsOf = (requests: readonly { readonly id: string }[]) => requests.map(({ id }) => id);

describe('pages of access requests', () => {
  test('contain each request exactly once, even if new requests come in meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (count, limit) => {
          const { world, caller, ids, investor, key } = await requestMany(count);
          const expected = await sorted(world, ids);
          const pages = await pagesOf(
            (cursor) => world.callers.listAccessRequests(caller, { limit, cursor }),
            async () => {
              world.clock.advance(1);
              await world.request(key, (await world.companyOf(investor)).id);
            },
          );
          for (const { length } of pages) expect(length).toBeLessThanOrEqual(limit);
          expect(idsOf(pages.flat())).toEqual(expected);
        },
      ),
      { numRuns: propertyRuns(40) },
    );
  });

  test('have 50 requests by default, and up to the given limit', async () => {
    const { world, caller } = await requestMany(51);
    const { items, nextCursor } = await world.callers.listAccessRequests(caller);
    expect(items).toHaveLength(50);
    expect(nextCursor).not.toBeNull();
    const whole = await world.callers.listAccessRequests(caller, { limit: 51 });
    expect([whole.items.length, whole.nextCursor]).toEqual([51, null]);
  });

  test.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 201 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: '5' }, 'limit'],
    [{ cursor: 'nonsense' }, 'cursor'],
    [{ cursor: 5 }, 'cursor'],
    [{ status: 'PENDING' }, 'status'],
  ])('are refused for %j, and the error names the parameter', async (input, parameter) => {
    const { world, caller } = await newcomerIn(createWorld());
    await expectRefusalSaying(
      world.callers.listAccessRequests(caller, input as never),
      'invalid_parameter',
      parameter,
    );
  });
});

describe('pages of access requests from either end', () => {
  test('contain the same list forwards and backwards', async () => {
    const { world, caller, ids } = await requestMany(7);
    const all = await sorted(world, ids);
    const page = async (input: Parameters<World['callers']['pageAccessRequests']>[1]) => {
      const { edges, hasNextPage, hasPreviousPage } = await world.callers.pageAccessRequests(
        caller,
        input,
      );
      const found = edges.map(({ accessRequest }) => accessRequest.id);
      return { found, cursors: edges.map(({ cursor }) => cursor), hasNextPage, hasPreviousPage };
    };
    const first = await page({ first: 3 });
    expect(first).toMatchObject({
      found: all.slice(0, 3),
      hasNextPage: true,
      hasPreviousPage: false,
    });
    const second = await page({ first: 3, after: first.cursors.at(-1) });
    expect(second).toMatchObject({
      found: all.slice(3, 6),
      hasNextPage: true,
      hasPreviousPage: true,
    });
    const last = await page({ last: 3 });
    expect(last).toMatchObject({ found: all.slice(4), hasNextPage: false, hasPreviousPage: true });
    const before = await page({ last: 10, before: last.cursors[0] });
    expect(before).toMatchObject({
      found: all.slice(0, 4),
      hasNextPage: true,
      hasPreviousPage: false,
    });
    const [from, , to] = first.cursors;
    expect(await page({ after: from, before: to })).toMatchObject({ found: [all[1]] });
    expect(await page({ first: 0 })).toMatchObject({ found: [], hasNextPage: true });
    expect(await page({})).toMatchObject({ found: all, hasNextPage: false });
    const { items } = await world.callers.listAccessRequests(caller, { limit: 200 });
    expect(idsOf(items)).toEqual(all);
  });

  test('contain only requests that have the requested status now', async () => {
    const { world, caller, ids } = await requestMany(2);
    const [older = '', newer] = ids;
    await world.operator.approveAccessRequest({
      id: older,
      expiresAt: later(day, world.clock.now()),
    });
    world.clock.advance(day);
    const found = async (status: 'pending' | 'expired' | null) =>
      (await world.callers.pageAccessRequests(caller, { status })).edges.map(
        ({ accessRequest }) => [accessRequest.id, accessRequest.status],
      );
    expect(await found('expired')).toEqual([[older, 'expired']]);
    expect(await found('pending')).toEqual([[newer, 'pending']]);
    expect(await found(null)).toHaveLength(2);
    expect((await world.callers.pageAccessRequests(caller)).edges).toHaveLength(2);
  });

  test.each([
    [{ after: 'nonsense' }, 'after'],
    [{ before: 'nonsense' }, 'before'],
    [{ first: -1 }, 'first'],
    [{ last: 201 }, 'last'],
    [{ first: 1, last: 1 }, 'first or last'],
    [{ limit: 1 }, 'limit'],
  ])('are refused for %j, and the error names the parameter', async (input, parameter) => {
    const { world, caller } = await newcomerIn(createWorld());
    await expectRefusalSaying(
      world.callers.pageAccessRequests(caller, input as never),
      'invalid_parameter',
      parameter,
    );
  });
});

describe('a walk through all access requests', () => {
  test('reads each page only on demand and returns each request once', async () => {
    let read = 0;
    const world = createWorld(({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        list(page) {
          read += 1;
          return accessRequests.list(page);
        },
      },
    }));
    const { caller, ids } = await requestMany(450, world);
    const walk = world.callers.walkAccessRequests(caller);
    expect(read).toBe(0);
    const found: string[] = [];
    const lengths: number[] = [];
    for await (const { items } of walk) {
      found.push(...idsOf(items));
      expect(read).toBe(lengths.push(items.length));
      world.clock.advance(1);
    }
    expect(lengths).toEqual([200, ...Array(10).fill(25)]);
    expect(found).toEqual(await sorted(world, ids));
  });

  test('costs one point of the rate limit per started 200 requests, but no point for the first 200', async () => {
    const { world, caller, key } = await requestMany(401);
    const remaining = async () => (await world.callers.admitCaller(key, 1, caller)).rateLimit;
    const before = await remaining();
    await Array.fromAsync(world.callers.walkAccessRequests(caller));
    expect((await remaining()).remaining).toBe(before.remaining - 1 - 2);
    await Array.fromAsync(world.callers.walkAccessRequests(caller, { status: 'declined' }));
    expect((await remaining()).remaining).toBe(before.remaining - 1 - 2 - 1);
  });

  test('continues to its end if it exceeds the rate limit, and the next call is refused', async () => {
    const { world, investor } = await requestMany(401);
    const { key } = await world.key(investor, { rateLimit: 2 });
    const caller = await world.admit(key);
    const pages = await Array.fromAsync(world.callers.walkAccessRequests(caller));
    expect(pages.flatMap(({ items }) => items)).toHaveLength(401);
    const admission = await world.callers.admitCaller(key, 1, caller);
    expect('refusal' in admission && admission.refusal.code).toBe('rate_limit_exceeded');
  });

  test('ends when the API key is revoked', async () => {
    const { world, caller } = await requestMany(201);
    const walk = world.callers.walkAccessRequests(caller);
    await walk.next();
    await world.operator.revokeApiKey({ id: caller.credentialId });
    await expectRefusal(walk.next(), 'invalid_api_key');
  });

  test('is refused for an unknown status before it reads anything', async () => {
    const { world, caller } = await newcomerIn(createWorld());
    const walk = world.callers.walkAccessRequests(caller, { status: 'unknown' as never });
    await expectRefusalSaying(walk.next(), 'invalid_parameter', 'status');
  });
});

test('a page counts all requests that match its filter', async () => {
  const { world, caller } = await requestMany(3);
  const count = async (status?: 'pending' | 'approved') =>
    (await world.callers.pageAccessRequests(caller, { first: 1, status })).countAll();
  expect([await count(), await count('pending'), await count('approved')]).toEqual([3, 3, 0]);
});
