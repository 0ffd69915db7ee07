import { afterAll, beforeAll, expect, test } from 'vitest';
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
  keyChanges,
} from '../contracts/builders.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';

const day = 86_400_000;

const ago = (days: number) => new Date(Date.now() - days * day);

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

await describeOnPostgres('the daily counts of access records', (createDatabase) => {
  let url: string;
  let database: Database;

  const query = (text: string) => withClient(url, (client) => client.query(text));
  const open = () => openDatabase({ databaseUrl: url, dataDir: '', role: 'service' });
  const countNextDay = (now = new Date(), one = database) =>
    one.repositories.accessStatistics.countNextDay(now);
  const countAll = async (one = database) => {
    while (await countNextDay(new Date(), one));
  };
  const countedDays = async () =>
    (await query('select day::text, records::int from access_day order by day')).rows;

  beforeAll(async () => {
    url = (await createDatabase()).url;
    database = await open();
    await database.createPartitionsAhead(new Date());
  });
  afterAll(() => database?.close());

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
    await keyChanges(repositories.apiKeys).add(newKey);
    const request = approved(anAccessRequest({ investor, company }));
    await addRequests(repositories, request);
    return { companyId: company.id, investor, keyId: newKey.key.id, grantId: request.id };
  }

  const add = (
    { companyId, investor, keyId, grantId }: Parties,
    occurredAt: Date,
    overrides: Partial<AccessRecord> = {},
  ) =>
    database.repositories.accessRecords.record(
      anAccessRecord({
        ...{ occurredAt, companyId, investorId: investor.id, keyId, grantId },
        ...overrides,
      }),
    );

  const refused = { outcome: 'access_required', grantId: null } as const;

  const read = ({ companyId }: Parties, investorId?: string): Promise<CountedReads> =>
    database.repositories.accessStatistics.countReads({
      companyId,
      investorId,
      environment: 'live',
      firstDay: dayOf(ago(300)),
      lastDay: dayOf(ago(-1)),
      most: 10,
    });

  const daysOf = async (parties: Parties) =>
    Object.fromEntries(
      (await read(parties)).byInvestor.map((row) => [row.day, [row.allowed, row.refused]]),
    );

  const usageOf = async ({ companyId, grantId }: Parties) => {
    const [usage] = await database.repositories.accessStatistics.readUsage(companyId, [grantId]);
    return [usage?.reads, usage?.lastReadAt];
  };

  test('give the same statistics as the access records, for days with and without a partition', async () => {
    const parties = await newParties();
    const other = { ...(await newParties()), companyId: parties.companyId };
    await database.createPartitionsAhead(ago(200));
    const instants = [ago(200), ago(150), ago(0)] as const;
    for (const instant of instants) {
      await add(parties, instant);
      await add(parties, instant, { metricKey: 'cash_balance', resource: 'metric' });
      await add(other, instant, { scope: 'sources:read', resource: 'sources' });
    }
    await add(parties, ago(200), refused);
    const inAnyOrder = ({ byInvestor, byMetric }: CountedReads) =>
      [byInvestor, byMetric].map((rows) => new Set<object>(rows));
    const look = async () => [
      inAnyOrder(await read(parties)),
      inAnyOrder(await read(parties, parties.investor.id)),
      await usageOf(parties),
    ];
    const before = await look();
    expect(before.at(-1)).toEqual([6, instants[2]]);
    await countAll();
    expect(await look()).toEqual(before);
    const counted = await countedDays();
    expect(counted).toContainEqual({ day: dayOf(instants[0]), records: 4 });
    expect(counted).toContainEqual({ day: dayOf(instants[1]), records: 3 });
    expect(counted).not.toContainEqual(expect.objectContaining({ day: dayOf(instants[2]) }));
    expect(await countNextDay()).toBe(false);
  });

  test('don’t change if a record arrives after its day was counted', async () => {
    const parties = await newParties();
    const instant = ago(110);
    await add(parties, instant);
    await countAll();
    await add(parties, instant);
    await countAll();
    expect(await daysOf(parties)).toEqual({ [dayOf(instant)]: [1, 0] });
    const { companyId } = parties;
    const list = await database.repositories.accessRecords.listOfCompany({ companyId, limit: 9 });
    expect(list).toHaveLength(2);
  });

  test('are made at least an hour after the end of the day, by the clocks of both server and process', async () => {
    const instant = ago(100);
    await add(await newParties(), instant);
    const isCounted = async () =>
      (await countedDays()).some((counted) => counted.day === dayOf(instant));
    expect(await countNextDay(instant)).toBe(false);
    expect(await countNextDay(new Date(Date.parse(dayOf(ago(99))) + 3_599_000))).toBe(false);
    expect(await isCounted()).toBe(false);
    expect(await countNextDay(new Date(Date.parse(dayOf(ago(99))) + 3_600_000))).toBe(true);
    expect(await isCounted()).toBe(true);
    await countAll();
    expect(await countNextDay(ago(-30))).toBe(false);
  });

  test('are made only once if several processes count the same days at the same time', async () => {
    const parties = await newParties();
    const instants = Array.from({ length: 20 }, (_, index) => ago(70 + index));
    for (const instant of instants) await add(parties, instant);
    const others = await Promise.all([open(), open(), open()]);
    await Promise.all(others.map((other) => countAll(other)));
    await Promise.all(others.map((other) => other.close()));
    // A process skips a day that another process counts, so this call counts the remaining days.
    await countAll();
    expect(await daysOf(parties)).toEqual(
      Object.fromEntries(instants.map((instant) => [dayOf(instant), [1, 0]])),
    );
    expect(await usageOf(parties)).toEqual([20, instants[0]]);
  });

  test('are made even if a forged record contains a grant of another company', async () => {
    const [parties, other] = [await newParties(), await newParties()];
    const instant = ago(50);
    await add(parties, instant);
    await add({ ...other, grantId: parties.grantId }, instant);
    await countAll();
    expect((await countedDays()).map((counted) => counted.day)).toContain(dayOf(instant));
  });

  test('are reported as wrong if they differ from the records, or if their day wasn’t counted', async () => {
    const miscounted = () => database.repositories.accessStatistics.listMiscountedDays();
    const parties = await newParties();
    const [late, forged, lost] = [ago(30), ago(25), ago(20)] as const;
    for (const instant of [late, lost]) await add(parties, instant);
    await countAll();
    const before = await miscounted();
    await add(parties, late);
    await query(`insert into access_day_count (company_id, day, investor_id, scope, allowed, refused)
      values ('co_1', '${dayOf(forged)}', 'inv_1', 'metrics:read', 1, 0)`);
    await query(`update access_record_other set grant_id = null, outcome = 'access_required', count = 2
      where occurred_at = '${lost.toISOString()}'`);
    expect(await miscounted()).toEqual([...before, ...[late, forged, lost].map(dayOf)]);
  });

  test('aren’t made by one process while another process is counting', async () => {
    await add(await newParties(), ago(60));
    await withClient(url, async (other) => {
      await other.query('begin; select pg_advisory_xact_lock(4710339218)');
      expect(await countNextDay()).toBe(false);
      await other.query('rollback');
    });
    expect(await countNextDay()).toBe(true);
  });
});
