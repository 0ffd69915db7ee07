import { describe, expect, test, vi } from 'vitest';
import {
  AccessError,
  type AccessRecord,
  type InvestorCaller,
  type ListAccessRecordsInput,
  type Resource,
} from '#core';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { recordsIn } from '../../../support/records-in.ts';
import {
  aNewcomer,
  createWorld,
  day,
  expectRefusal,
  later,
  start,
  type World,
} from '../../world.ts';

const key = 'cash_balance';

const reads = [
  ['metrics', 'readLatestMetrics', { scope: 'metrics:read', metricKey: null }],
  ['metric', 'readLatestMetric', { scope: 'metrics:read', metricKey: key }],
  ['metric_history', 'readMetricHistory', { scope: 'metrics:read', metricKey: key }],
  ['sources', 'readSources', { scope: 'sources:read', metricKey: null }],
  ['accounts', 'readAccounts', { scope: 'accounts:read', metricKey: null }],
] as const satisfies [Resource, string, Pick<AccessRecord, 'scope' | 'metricKey'>][];

async function newcomerWithData(world: World) {
  const newcomer = await world.newcomer();
  await importLines(world.operator, sampleData(newcomer.companyId));
  return newcomer;
}

const recordsOf = async (world: World, caller: InvestorCaller) =>
  recordsIn(await world.callers.listAccessRecords(caller));

describe.each(reads)('a read of the %s', (resource, name, expected) => {
  const read = ({ callers }: World, caller: InvestorCaller, companyId: string) =>
    callers[name](caller, { companyId, ...(expected.metricKey && { key }) } as never);

  test('leaves an access record with the reader, the kind of data, the grant and the time', async () => {
    const world = createWorld();
    const newcomer = await newcomerWithData(world);
    const { id: grantId } = await world.grant(newcomer);
    const caller: InvestorCaller = { ...newcomer.caller, requestId: 'req_7', protocol: 'trpc' };
    world.clock.advance(5);
    await read(world, caller, newcomer.companyId);
    expect(await recordsOf(world, caller)).toEqual([
      {
        id: expect.stringMatching(/^rec_/),
        occurredAt: later(5),
        requestId: 'req_7',
        protocol: 'trpc',
        keyId: caller.credentialId,
        contactId: null,
        investorId: caller.investorId,
        companyId: newcomer.companyId,
        resource,
        ...expected,
        grantId,
        outcome: 'allowed',
        count: 1,
      },
    ]);
  });

  test('leaves an access record with the reason and without a grant if the service refuses the read', async () => {
    const world = createWorld();
    const newcomer = await newcomerWithData(world);
    const { id } = await world.grant(newcomer);
    await world.operator.revokeAccessRequest({ id });
    const { caller, companyId } = newcomer;
    await expectRefusal(read(world, caller, companyId), 'access_revoked');
    expect(await recordsOf(world, caller)).toMatchObject([
      { companyId, resource, ...expected, grantId: null, outcome: 'access_revoked' },
    ]);
  });

  test('returns nothing before its access record is committed', async () => {
    const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
    const world = createWorld();
    const newcomer = await newcomerWithData(world);
    vi.spyOn(world.ports.accessRecords, 'record').mockReturnValue(committed);
    await world.grant(newcomer);
    let isHandedOut = false;
    const reading = read(world, newcomer.caller, newcomer.companyId).then(() => {
      isHandedOut = true;
    });
    await new Promise(setImmediate);
    expect(isHandedOut).toBe(false);
    commit();
    await reading;
    expect(isHandedOut).toBe(true);
  });

  test('returns nothing if its access record can’t be committed', async () => {
    const world = createWorld();
    const newcomer = await newcomerWithData(world);
    const record = vi.spyOn(world.ports.accessRecords, 'record');
    record.mockRejectedValue(new AccessError('service_unavailable'));
    await world.grant(newcomer);
    await expectRefusal(read(world, newcomer.caller, newcomer.companyId), 'service_unavailable');
  });
});

describe('an access record', () => {
  test('is also left for a read that finds no data', async () => {
    const { world, newcomer } = await aNewcomer();
    await world.grant(newcomer);
    const { caller, companyId } = newcomer;
    const read = world.callers.readLatestMetric(caller, { companyId, key: 'burn_rate' });
    await expectRefusal(read, 'metric_not_found');
    expect(await recordsOf(world, caller)).toMatchObject([
      { metricKey: 'burn_rate', outcome: 'allowed' },
    ]);
  });

  test('is committed even if the service then can’t read the data', async () => {
    const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
    const world = createWorld(({ companyData }) => ({
      companyData: { ...companyData, sources: () => Promise.reject(new Error('lost')) },
    }));
    vi.spyOn(world.ports.accessRecords, 'record').mockReturnValue(committed);
    const newcomer = await world.newcomer();
    await world.grant(newcomer);
    const reading = world.callers
      .readSources(newcomer.caller, { companyId: newcomer.companyId })
      .catch((error: Error) => error.message);
    expect(await Promise.race([reading, new Promise((done) => setImmediate(done, 'waits'))])).toBe(
      'waits',
    );
    commit();
    expect(await reading).toBe('lost');
  });

  test('contains neither malformed ids nor malformed metric keys', async () => {
    const { world, newcomer } = await aNewcomer();
    await world.grant(newcomer);
    const { caller, companyId } = newcomer;
    const { readMetricHistory } = world.callers;
    await readMetricHistory(caller, { companyId, key: 'no such key \u0000' });
    world.clock.advance(1);
    const nowhere = { companyId: '../\u0000', key: 'cash_balance' };
    await expectRefusal(readMetricHistory(caller, nowhere), 'company_not_found');
    expect(await recordsOf(world, caller)).toMatchObject([
      { companyId: null, metricKey: 'cash_balance', outcome: 'company_not_found' },
      { companyId, metricKey: null, outcome: 'allowed' },
    ]);
  });

  test('is visible only to the investor that made the read, and can be filtered by company and time', async () => {
    const { world, newcomer } = await aNewcomer();
    const other = await world.newcomer();
    const { caller, companyId } = newcomer;
    for (const [index, who] of [newcomer, other, newcomer].entries()) {
      const asking = { ...who.caller, requestId: `req_${index}` };
      await world.callers.readSources(asking, { companyId: who.companyId }).catch(() => undefined);
      world.clock.advance(day);
    }
    const outside = world.callers.readSources(caller, { companyId: other.companyId });
    await expectRefusal(outside, 'company_not_found');
    const list = async (input: ListAccessRecordsInput) =>
      recordsIn(await world.callers.listAccessRecords(caller, input)).map(
        (record) => [record.companyId, record.occurredAt] as const,
      );
    const all = [
      [other.companyId, later(3 * day)],
      [companyId, later(2 * day)],
      [companyId, start],
    ];
    expect(await list({})).toEqual(all);
    expect(await list({ companyId })).toEqual(all.slice(1));
    expect(await list({ since: later(2 * day) })).toEqual(all.slice(0, 2));
    expect(await list({ until: later(2 * day) })).toEqual(all.slice(1));
    expect(await list({ first: 1 })).toEqual(all.slice(0, 1));
    expect(await list({ companyId: '../x' })).toEqual([]);
    expect(await list({ companyId: null, since: null })).toEqual(all);
  });

  test('comes in pages without gaps or duplicates', async () => {
    const { world, caller, companyId } = await aNewcomer();
    for (let index = 0; index < 5; index += 1) {
      const asking = { ...caller, requestId: `req_${index}` };
      await world.callers.readSources(asking, { companyId }).catch(() => undefined);
    }
    const list = world.callers.listAccessRecords;
    const whole = await list(caller);
    expect(whole).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    const first = await list(caller, { first: 2 });
    expect(first).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    await world.callers.readAccounts(caller, { companyId }).catch(() => undefined);
    const rest = await list(caller, { first: 3, after: first.edges[1]?.cursor ?? null });
    expect(rest).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect([...recordsIn(first), ...recordsIn(rest)]).toEqual(recordsIn(whole));
  });

  test('causes no database query if the company id is malformed', async () => {
    const { world, caller } = await aNewcomer();
    const list = vi.spyOn(world.ports.accessRecords, 'listOfInvestor');
    const page = await world.callers.listAccessRecords(caller, { companyId: 'co_\u0000' });
    expect(page).toEqual({ edges: [], hasNextPage: false, hasPreviousPage: false });
    expect(list).not.toHaveBeenCalled();
  });
});

test('an invalid cursor of the access records is refused with the name of its parameter', async () => {
  const { world, caller } = await aNewcomer();
  const list = world.callers.listAccessRecords(caller, { after: 'nowhere' });
  await expectRefusal(list, 'invalid_parameter', 'parameter after');
});

test('a key can’t list the access record of a read if it lacks the scope of this read', async () => {
  const { world, caller, companyId, investor } = await aNewcomer();
  await world.callers.readSources(caller, { companyId }).catch(() => undefined);
  const { key } = await world.key(investor, { scopes: ['metrics:read', 'reports:read'] });
  expect(await recordsOf(world, await world.admit(key))).toEqual([]);
  expect(await recordsOf(world, caller)).toHaveLength(1);
});

describe('the operator’s list of a company’s access records', () => {
  test('contains the reads of the company by all investors, and can be filtered by API key', async () => {
    const { world, newcomer } = await aNewcomer();
    const other = await world.anotherInvestor(newcomer.companyId);
    for (const { caller } of [newcomer, other]) {
      await world.callers
        .readSources(caller, { companyId: newcomer.companyId })
        .catch(() => undefined);
      world.clock.advance(1);
    }
    const list = async (keyId?: string) =>
      (
        await world.operator.listCompanyAccessRecords({
          companyId: newcomer.companyId,
          keyId,
          limit: 10,
        })
      ).records.map((record) => record.keyId);
    expect(await list()).toEqual([other.keyId, newcomer.keyId]);
    expect(await list(newcomer.keyId)).toEqual([newcomer.keyId]);
    for (const [limit, hasMore] of [
      [1, true],
      [2, false],
      [100_000, false],
    ] as const) {
      const filter = { companyId: newcomer.companyId, limit };
      expect(await world.operator.listCompanyAccessRecords(filter)).toMatchObject({
        records: { length: Math.min(limit, 2) },
        hasMore,
      });
    }
    for (const limit of [0, 100_001]) {
      await expectRefusal(
        world.operator.listCompanyAccessRecords({ companyId: newcomer.companyId, limit }),
        'invalid_parameter',
        'from 1 to 100000 records',
      );
    }
    await expectRefusal(
      world.operator.listCompanyAccessRecords({ companyId: 'co_none', limit: 10 }),
      'company_not_found',
      'co_none',
    );
  });
});
