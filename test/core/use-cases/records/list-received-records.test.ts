import { describe, expect, test, vi } from 'vitest';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { pagesOf } from '../../pages.ts';
import { createWorld, expectRefusal, later, start, type World } from '../../world.ts';

describe('the access records that a company can see', () => {
  async function readSometimes(times: number, world = createWorld()) {
    const newcomer = await world.newcomer();
    await importLines(world.operator, sampleData(newcomer.companyId));
    await world.grant(newcomer);
    const read = async () => {
      world.clock.advance(1);
      await world.callers.readLatestMetrics(newcomer.caller, newcomer);
    };
    for (let count = 0; count < times; count += 1) await read();
    return { ...newcomer, world, read, self: await world.admitCompany(newcomer.companyId) };
  }

  test('contain the name of the reader and the hint of its API key, newest first', async () => {
    const { world, self, investor, key } = await readSometimes(2);
    await readSometimes(1, world);
    const { items } = await world.companies.listReceivedRecords(self);
    expect(items).toMatchObject(
      [later(2), later(1)].map((occurredAt) => ({
        occurredAt,
        investorId: investor.id,
        investorName: investor.name,
        keyHint: `svc_sk_live_…${key.slice(-4)}`,
        outcome: 'allowed',
      })),
    );
  });

  test('contain refused reads without access, but no reads from the other environment', async () => {
    const { world, self, companyId } = await readSometimes(0);
    const outsider = await world.newcomer();
    const foreigner = await world.newcomer({ environment: 'test' });
    for (const { caller } of [outsider, foreigner]) {
      const attempt = world.callers.readLatestMetrics(caller, { companyId });
      await expectRefusal(attempt, 'company_not_found');
    }
    const { items } = await world.companies.listReceivedRecords(self);
    expect(items.map(({ investorId }) => investorId)).toEqual([outsider.investor.id]);
  });

  test('can be filtered by investor and by time, with both ends of the period included', async () => {
    const { world, self, investor } = await readSometimes(5);
    const timesOf = async (filter: object) =>
      (await world.companies.listReceivedRecords(self, filter)).items.map(
        ({ occurredAt }) => occurredAt.getTime() - start.getTime(),
      );
    expect(await timesOf({ investorId: investor.id })).toEqual([5, 4, 3, 2, 1]);
    expect(await timesOf({ investorId: (await world.investor()).id })).toEqual([]);
    expect(await timesOf({ investorId: 'inv_\u0000' })).toEqual([]);
    expect(await timesOf({ investorId: null, since: null, until: null })).toHaveLength(5);
    const since = later(2).toISOString();
    expect(await timesOf({ since, until: later(4) })).toEqual([4, 3, 2]);
  });

  test('cause no database query if the investor id is malformed', async () => {
    const { world, self } = await readSometimes(1);
    const queries = (['listReceived', 'findCursor'] as const).map((query) =>
      vi.spyOn(world.ports.accessRecords, query),
    );
    const filter = { investorId: 'inv_\u0000' };
    const page = await world.companies.listReceivedRecords(self, filter);
    expect(page).toEqual({ items: [], nextCursor: null });
    for (const query of queries) expect(query).not.toHaveBeenCalled();
  });

  test('come in pages without gaps or duplicates while new records are written', async () => {
    const { world, self, read } = await readSometimes(5);
    const pages = await pagesOf(
      (cursor) => world.companies.listReceivedRecords(self, { limit: 2, cursor }),
      read,
    );
    expect(
      pages.map((page) => page.map(({ occurredAt }) => occurredAt.getTime() - start.getTime())),
    ).toEqual([[5, 4], [3, 2], [1]]);
  });
});

describe('a walk, which returns all access records of a company', () => {
  async function readMany(world: World) {
    const { caller, companyId, ...newcomer } = await world.newcomer();
    await world.grant(newcomer);
    for (let count = 0; count < 401; count += 1) {
      world.clock.advance(1);
      await world.callers.readLatestMetrics(caller, { companyId });
    }
    return companyId;
  }

  test('returns the records in parts, newest first', async () => {
    const world = createWorld();
    const self = await world.admitCompany(await readMany(world));
    const pieces = await Array.fromAsync(world.companies.walkReceivedRecords(self));
    expect(pieces.map(({ length }) => length)).toEqual([200, 200, 1]);
    const times = pieces.flat().map(({ occurredAt }) => occurredAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(new Set(times).size).toBe(401);
    const narrowed = world.companies.walkReceivedRecords(self, { until: later(3) });
    expect((await Array.fromAsync(narrowed)).flat()).toHaveLength(3);
  });

  test('stops when the contact’s session ends', async () => {
    const world = createWorld();
    const contact = await world.admitContact(await readMany(world));
    const walk = world.companies.walkReceivedRecords(contact);
    expect((await walk.next()).value).toHaveLength(200);
    await world.operator.removeContact({ id: contact.contactId, lastAdmin: true });
    await expectRefusal(walk.next(), 'invalid_api_key');
    expect(await walk.next()).toEqual({ done: true, value: undefined });
  });

  test('stops when the company key is revoked', async () => {
    const world = createWorld();
    const self = await world.admitCompany(await readMany(world));
    const walk = world.companies.walkReceivedRecords(self);
    await walk.next();
    await world.companies.revokeOwnKey(self, { id: self.credentialId });
    await expectRefusal(walk.next(), 'invalid_api_key');
  });

  test('checks the key again before each part except the first', async () => {
    const world = createWorld();
    const self = await world.admitCompany(await readMany(world));
    const looks = vi.spyOn(world.ports.companyKeys, 'readValidity');
    const looksAfter: number[] = [];
    for await (const _ of world.companies.walkReceivedRecords(self))
      looksAfter.push(looks.mock.calls.length);
    expect(looksAfter).toEqual([0, 1, 2]);
  });
});

test.each([{ limit: 0 }, { limit: 201 }, { cursor: 5 }, { cursor: 'ar_1' }, { offset: 3 }])(
  'a page of a company’s access records is refused for %j',
  async (input) => {
    const world = createWorld();
    const self = await world.admitCompany((await world.company()).id);
    const list = world.companies.listReceivedRecords(self, input as never);
    await expectRefusal(list, 'invalid_parameter');
  },
);
