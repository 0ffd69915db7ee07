import { describe, expect, test, vi } from 'vitest';
import { grantableScopes } from '#core';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { createWorld, day, expectRefusal, later, type World } from '../../world.ts';

async function ask(world: World, companyId: string) {
  world.clock.advance(1);
  const another = await world.anotherInvestor(companyId);
  const request = await world.request(another.key, companyId, ['metrics:read']);
  return { ...another, request };
}

async function companyIn(world = createWorld()) {
  const company = await world.company();
  await importLines(world.operator, sampleData(company.id));
  const self = await world.admitCompany(company.id);
  return { world, company, self, ask: () => ask(world, company.id) };
}

describe('the list of access requests that wait for a company’s decision', () => {
  test('contains pending requests and additions to grants, newest first, in pages, with a count', async () => {
    const { world, self, ask } = await companyIn();
    const [first, second, third] = [await ask(), await ask(), await ask()];
    const granted = await ask();
    for (const { request } of [second, granted]) {
      await world.operator.approveAccessRequest({ id: request.id });
    }
    const { companies } = world;
    await world.callers.amendAccessRequest(second.caller, {
      id: second.request.id,
      scopes: ['accounts:read'],
    });
    const ids = [third, second, first].map(({ request }) => request.id);
    const page = await companies.listWaitingRequests(self, { limit: 2 });
    expect(page.items.map(({ accessRequest }) => accessRequest.id)).toEqual(ids.slice(0, 2));
    expect(page.items[1]?.accessRequest.pendingScopes).toEqual(['accounts:read']);
    const rest = await companies.listWaitingRequests(self, { cursor: page.nextCursor });
    expect(rest.items.map(({ accessRequest }) => accessRequest.id)).toEqual(ids.slice(2));
    expect(rest.nextCursor).toBeNull();
    expect((await companies.listWaitingRequests(self)).items).toHaveLength(3);
    expect(await companies.countReceivedRequests(self)).toEqual({ count: 3, hasMore: false });
    world.clock.advance(30 * day);
    expect(await companies.countReceivedRequests(self)).toEqual({ count: 1, hasMore: false });
    await expectRefusal(companies.listWaitingRequests(self, { limit: 0 }), 'invalid_parameter');
  });

  test.each([
    [100, false],
    [101, true],
    [1000, true],
  ])('has a count of at most 100: %d waiting requests, hasMore: %s', async (waiting, hasMore) => {
    const { world, self } = await companyIn();
    const count = vi.spyOn(world.ports.accessRequests, 'countWaiting');
    count.mockImplementation(async ({ limit }) => Math.min(waiting, limit));
    expect(await world.companies.countReceivedRequests(self)).toEqual({ count: 100, hasMore });
  });
});

describe('the company’s view of its grants', () => {
  test('lists only grants that end within the given number of days, earliest end first', async () => {
    const { world, self, ask } = await companyIn();
    const granted = [];
    for (const days of [40, 20, 10]) {
      const { request } = await ask();
      const expiresAt = later(days * day);
      granted.unshift(
        (await world.operator.approveAccessRequest({ id: request.id, expiresAt })).accessRequest,
      );
    }
    const { listEndingGrants } = world.companies;
    const endsOf = async (input?: { withinDays: number }) =>
      (await listEndingGrants(self, input)).map(({ accessRequest }) => accessRequest.id);
    const ids = granted.map(({ id }) => id);
    expect(await endsOf()).toEqual(ids.slice(0, 2));
    expect(await endsOf({ withinDays: 366 })).toEqual(ids);
    expect(await endsOf({ withinDays: 10 })).toEqual(ids.slice(0, 1));
    for (const withinDays of [0, 367, 1.5]) {
      await expectRefusal(listEndingGrants(self, { withinDays }), 'invalid_parameter');
    }
  });

  test('returns the number of reads and the last read of each given grant, in the order of the ids', async () => {
    const { world, self, company, ask } = await companyIn();
    const [used, unused] = [await ask(), await ask()];
    await world.operator.approveAccessRequest({ id: used.request.id });
    for (const _ of [1, 2]) {
      world.clock.advance(day);
      await world.callers.readLatestMetrics(used.caller, { companyId: company.id });
    }
    const lastReadAt = world.clock.now();
    const foreign = await (await companyIn(world)).ask();
    const ids = [unused, foreign, used, unused].map(({ request }) => request.id);
    const { readGrantUsage } = world.companies;
    expect(await readGrantUsage(self, { ids: [...ids, 'ar_none', '\u0000'] })).toEqual([
      { accessRequestId: unused.request.id, reads: 0, lastReadAt: null },
      { accessRequestId: used.request.id, reads: 2, lastReadAt },
    ]);
    const tooMany = readGrantUsage(self, { ids: Array(201).fill('ar_1') });
    await expectRefusal(tooMany, 'invalid_parameter');
  });

  test('returns the usage of each given grant once, and skips malformed ids', async () => {
    const { world, self } = await companyIn();
    const readUsage = vi.spyOn(world.ports.accessStatistics, 'readUsage');
    for (const ids of [[], ['\u0000'], ['ar_1', '\u0000', 'ar_2', 'ar_1']]) {
      expect(await world.companies.readGrantUsage(self, { ids })).toEqual([]);
    }
    expect(readUsage.mock.calls.map(([, ids]) => ids)).toEqual([['ar_1', 'ar_2']]);
  });
});

test('the list of investors that requested access includes an investor that the company declined', async () => {
  const { world, self, ask } = await companyIn();
  const asked = [await ask(), await ask()];
  for (const { request } of asked) await world.operator.declineAccessRequest({ id: request.id });
  await (await companyIn(world)).ask();
  expect(await world.companies.listRequestingInvestors(self)).toEqual(
    asked.map(({ investor: { id, name } }) => ({ id, name })),
  );
});

test.each(grantableScopes)('access records can be filtered by the scope %s', async (scope) => {
  const { world, self, company, ask } = await companyIn();
  const { caller } = await ask();
  const { readLatestMetrics, readSources, readAccounts } = world.callers;
  for (const read of [readLatestMetrics, readSources, readAccounts]) {
    await read(caller, { companyId: company.id }).catch(() => undefined);
  }
  const { items } = await world.companies.listReceivedRecords(self, { scope });
  expect(items.map((record) => record.scope)).toEqual([scope]);
  await expectRefusal(
    world.companies.listReceivedRecords(self, { scope: 'companies:read' as never }),
    'invalid_parameter',
  );
});
