import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AccessRecord, CountedReads, Investor } from '#core';
import { type Database, openDatabase } from '#db';
import {
  addCompany,
  addInvestor,
  addRequests,
  anAccessRecord,
  anAccessRequest,
  anApiKey,
  approved,
  freshId,
} from '../contracts/builders.ts';
import { withClient } from '../support/databases.ts';
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from '../support/own-postgres.ts';
import { propertyRuns } from '../support/property-runs.ts';

const minute = 60_000;
const day = 86_400_000;

/** The instant so many milliseconds ago. */
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

if (postgresPrograms === null) {
  console.error('SKIPPED: counting access records in advance: no PostgreSQL is installed here');
}

// Counting waits for the transactions of all databases of a server, so this one is used by nobody else.
describe.skipIf(postgresPrograms === null)('access records that are counted in advance', () => {
  let server: OwnPostgres;
  let url: string;
  let database: Database;

  const query = (text: string) => withClient(url, (client) => client.query(text));
  const open = () => openDatabase({ databaseUrl: url, dataDir: '', role: 'service' });
  const countAll = async (one = database, now = new Date()) => {
    while (await one.repositories.accessStatistics.countNext(now));
  };
  /** Whether those up to the instant are counted. */
  const isCounted = async (instant: Date): Promise<boolean> => {
    const { rows } = await query(`
      select from access_record_counted where counted_until > '${instant.toISOString()}'`);
    return rows.length > 0;
  };
  /** As if nothing had been counted for so long. */
  const goBack = (interval: string) =>
    query(`
      update access_record_counted set counted_until = now() - interval '${interval}',
        next_until = null, next_transaction = null`);
  const untilCounted = (instant: Date, now?: Date) =>
    expect
      .poll(async () => {
        await countAll(database, now);
        return isCounted(instant);
      })
      .toBe(true);

  beforeAll(async () => {
    server = await startOwnPostgres();
    url = server.url;
    const command = await openDatabase({ databaseUrl: url, dataDir: '', role: 'command' });
    await command.migrate();
    await command.close();
    database = await open();
    await database.createPartitionsAhead(new Date());
  });
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  interface Parties {
    readonly companyId: string;
    readonly investor: Investor;
    readonly keyId: string;
    readonly grantId: string;
  }

  async function newParties(): Promise<Parties> {
    const { repositories } = database;
    const [company, investor] = [await addCompany(repositories), await addInvestor(repositories)];
    const newKey = anApiKey(investor);
    await repositories.apiKeys.add(newKey);
    const request = approved(anAccessRequest({ investor, company }));
    await addRequests(repositories, request);
    return { companyId: company.id, investor, keyId: newKey.key.id, grantId: request.id };
  }

  const recordOf = (
    { companyId, investor, keyId, grantId }: Parties,
    occurredAt: Date,
    overrides: Partial<AccessRecord> = {},
  ): AccessRecord =>
    anAccessRecord({
      ...{ occurredAt, companyId, investorId: investor.id, keyId, grantId },
      ...overrides,
    });

  const refused = { outcome: 'access_required', grantId: null } as const;

  /** Into the table, past everything that takes care of it. */
  const insert = ({ companyId, investor, keyId, grantId }: Parties, id: string, instant: Date) => `
    insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
      company_id, scope, resource, grant_id, outcome)
    values ('${id}', '${instant.toISOString()}', 'req_1', 'rest',
      id_bytes('key', '${keyId}'), id_bytes('inv', '${investor.id}'), id_bytes('co', '${companyId}'),
      'metrics:read', 'metrics', id_bytes('ar', '${grantId}'), 'allowed')`;

  const read = ({ companyId }: Parties, investorId?: string): Promise<CountedReads> =>
    database.repositories.accessStatistics.countReads({
      companyId,
      investorId,
      environment: 'live',
      firstDay: dayOf(ago(300 * day)),
      lastDay: dayOf(ago(-day)),
      most: 10,
    });

  /** By day: allowed and refused. */
  const daysOf = async (parties: Parties) =>
    Object.fromEntries(
      (await read(parties)).byInvestor.map((row) => [row.day, [row.allowed, row.refused]]),
    );

  const usageOf = async ({ companyId, grantId }: Parties) => {
    const usage = await database.repositories.accessStatistics.readUsage(companyId, [grantId]);
    return [usage[0]?.reads, usage[0]?.lastReadAt];
  };

  test('are told at once, before they are counted and after', async () => {
    await goBack('1 hour');
    const parties = await newParties();
    const occurredAt = ago(30 * minute);
    await query(insert(parties, freshId('rec'), occurredAt));
    const told = [{ [dayOf(occurredAt)]: [1, 0] }, [1, occurredAt]];
    expect([await daysOf(parties), await usageOf(parties)]).toEqual(told);
    await untilCounted(occurredAt);
    expect([await daysOf(parties), await usageOf(parties)]).toEqual(told);
  });

  test('are not counted ahead of the server’s clock by a machine whose clock is ahead', async () => {
    const parties = await newParties();
    await untilCounted(ago(6 * minute), ago(-day));
    expect(await isCounted(ago(4 * minute))).toBe(false);
    const occurredAt = new Date();
    await database.repositories.accessRecords.record(recordOf(parties, occurredAt));
    expect(await usageOf(parties)).toEqual([1, occurredAt]);
  });

  test('that come late are counted though the machine’s clock is behind', async () => {
    await untilCounted(ago(6 * minute));
    const [parties, occurredAt, now] = [await newParties(), ago(30 * minute), new Date()];
    vi.useFakeTimers({ toFake: ['Date'], now: now.getTime() - 60 * minute });
    const other = await open();
    await other.ping(5_000);
    await other.repositories.accessRecords.record(recordOf(parties, occurredAt));
    await other.close();
    vi.useRealTimers();
    await countAll();
    expect(await usageOf(parties)).toEqual([1, occurredAt]);
  });

  test('that come hours late are counted with their days, and not twice', async () => {
    await countAll();
    const parties = await newParties();
    const [yesterday, before] = [ago(day), ago(3 * day)];
    const { accessRecords } = database.repositories;
    await accessRecords.record(recordOf(parties, yesterday));
    await accessRecords.record(recordOf(parties, before));
    for (const instant of [yesterday, before, before]) {
      accessRecords.recordEventually(recordOf(parties, instant, refused));
    }
    const expected = { [dayOf(yesterday)]: [1, 1], [dayOf(before)]: [1, 2] };
    const countedNow = async () => {
      await countAll();
      return daysOf(parties);
    };
    await expect.poll(countedNow).toEqual(expected);
    expect(await usageOf(parties)).toEqual([2, yesterday]);
    expect(await countedNow()).toEqual(expected);
    await accessRecords.record(recordOf(parties, before));
    expect(await countedNow()).toEqual({ ...expected, [dayOf(before)]: [2, 2] });
    expect(await usageOf(parties)).toEqual([3, yesterday]);
  });

  test('are waited for while the transaction that writes one has not ended', async () => {
    await goBack('1 hour');
    const parties = await newParties();
    const occurredAt = ago(30 * minute);
    await withClient(url, async (writer) => {
      await writer.query('begin');
      await writer.query(insert(parties, freshId('rec'), occurredAt));
      await countAll();
      expect(await isCounted(occurredAt)).toBe(false);
      await writer.query('commit');
    });
    expect(await usageOf(parties)).toEqual([1, occurredAt]);
    await untilCounted(occurredAt);
    expect(await usageOf(parties)).toEqual([1, occurredAt]);
    expect(await daysOf(parties)).toEqual({ [dayOf(occurredAt)]: [1, 0] });
  });

  test('of a long pause are caught up with, once, by any number of processes', async () => {
    const count = propertyRuns(100);
    const parties = await newParties();
    const instants = Array.from({ length: count }, (_, index) =>
      ago(6 * minute + index * 0.9 * day),
    );
    for (const instant of instants) await query(insert(parties, freshId('rec'), instant));
    await goBack(`${0.95 * count} days`);
    await query(`truncate access_record_day, access_record_day_sum, access_record_grant`);
    const others = await Promise.all([open(), open(), open()]);
    await Promise.all(others.map((other) => countAll(other)));
    await Promise.all(others.map((other) => other.close()));
    // The one that was at work may have left the others nothing to do, so what is left is counted here.
    await untilCounted(ago(6 * minute));
    const expected: Record<string, number[]> = {};
    for (const instant of instants) {
      expected[dayOf(instant)] = [(expected[dayOf(instant)]?.[0] ?? 0) + 1, 0];
    }
    expect(await daysOf(parties)).toEqual(expected);
    expect(await usageOf(parties)).toEqual([count, instants[0]]);
  });

  test('are left to the process that is at it', async () => {
    const parties = await newParties();
    await database.repositories.accessRecords.record(recordOf(parties, ago(day)));
    await withClient(url, async (other) => {
      await other.query('begin');
      await other.query('select from access_record_counted for update');
      expect(await database.repositories.accessStatistics.countNext(new Date())).toBe(false);
      await other.query('commit');
    });
    await countAll();
    expect(await usageOf(parties)).toMatchObject([1, {}]);
  });

  test('are forgotten with the days that are removed', async () => {
    const [parties, gone] = [await newParties(), await newParties()];
    const { accessRecords } = database.repositories;
    const [old, fresh] = [ago(100 * day), ago(2 * day)];
    for (const instant of [old, fresh]) await accessRecords.record(recordOf(parties, instant));
    await accessRecords.record(recordOf(gone, old));
    await countAll();
    expect(await usageOf(parties)).toEqual([2, fresh]);
    expect(await usageOf(gone)).toEqual([1, old]);
    await accessRecords.dropDaysBefore(ago(60 * day));
    expect(await usageOf(parties)).toEqual([1, fresh]);
    expect(await daysOf(parties)).toEqual({ [dayOf(fresh)]: [1, 0] });
    expect(await usageOf(gone)).toEqual([0, null]);
    const { rows } = await query('select from access_record_grant where reads <= 0');
    expect(rows).toEqual([]);
  });

  describe('whatever happens, and whenever they are counted', () => {
    const step = fc.oneof(
      { arbitrary: fc.constant('count' as const), weight: 1 },
      {
        arbitrary: fc.record({
          party: fc.nat(2),
          age: fc.oneof(fc.nat(3 * minute), fc.nat(10 * minute), fc.nat(20 * day)),
          isAllowed: fc.boolean(),
          metricKey: fc.constantFrom(null, 'cash_balance', 'headcount'),
          scope: fc.constantFrom('metrics:read' as const, 'sources:read' as const),
        }),
        weight: 4,
      },
    );
    type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

    test('come to what is counted over the list of them', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          const company = await newParties();
          const parties = [company];
          for (let index = 0; index < 2; index += 1) {
            parties.push({ ...(await newParties()), companyId: company.companyId });
          }
          for (const one of steps) await take(parties, one);
          await countAll();
          const list = await database.repositories.accessRecords.listReceived({
            companyId: company.companyId,
            environment: 'live',
            before: null,
            downTo: null,
            limit: 100,
          });
          for (const asked of [undefined, company.investor.id]) {
            const { byInvestor, byMetric } = await read(company, asked);
            const own = list.filter(({ investorId }) => [undefined, investorId].includes(asked));
            expect(
              byInvestor
                .flatMap(({ investor, ...counts }) => lines(investor?.id, counts))
                .toSorted(),
            ).toEqual(countedOver(own, ({ investorId }) => investorId));
            expect(
              byMetric.flatMap(({ metric, ...counts }) => lines(metric?.key, counts)).toSorted(),
            ).toEqual(countedOver(own, ({ metricKey }) => metricKey));
          }
        }),
        { numRuns: 15 },
      );
    });

    async function take(parties: readonly Parties[], one: Step): Promise<void> {
      if (one === 'count') return countAll();
      const { party, age, isAllowed, metricKey, scope } = one;
      const of = parties[party];
      if (of === undefined) throw new Error(`there is no party ${party}`);
      const outcome = isAllowed ? {} : refused;
      const record = recordOf(of, ago(age), { metricKey, scope, ...outcome });
      await database.repositories.accessRecords.record(record);
    }

    const lines = (
      name: string | null | undefined,
      { day: date, allowed, refused: no }: { day: string; allowed: number; refused: number },
    ) => [
      ...(allowed > 0 ? [`${name} ${date} allowed ${allowed}`] : []),
      ...(no > 0 ? [`${name} ${date} refused ${no}`] : []),
    ];

    function countedOver(
      records: readonly AccessRecord[],
      nameOf: (record: AccessRecord) => string | null,
    ): string[] {
      const counts = new Map<string, number>();
      for (const record of records) {
        const kind = record.outcome === 'allowed' ? 'allowed' : 'refused';
        const line = `${nameOf(record)} ${dayOf(record.occurredAt)} ${kind}`;
        counts.set(line, (counts.get(line) ?? 0) + record.count);
      }
      return [...counts].map(([line, count]) => `${line} ${count}`).toSorted();
    }
  });
});
