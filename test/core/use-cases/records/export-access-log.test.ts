import { expect, test } from 'vitest';
import { AccessError } from '#core';
import { createWorld, day, expectRefusalSaying, newcomerIn } from '../../world.ts';

const sha256 = 'a'.repeat(64);

/** Two reads on 2 November, one on 3 November. The operator's date is 5 November. */
async function threeReads(replace?: Parameters<typeof createWorld>[0]) {
  const { world, caller, companyId, investor } = await newcomerIn(createWorld(replace));
  let requests = 0;
  const read = () => {
    requests += 1;
    const request = { ...caller, requestId: `req_${requests}` };
    return world.callers.readSources(request, { companyId }).catch(() => undefined);
  };
  await read();
  world.clock.advance(1);
  await read();
  world.clock.advance(day);
  await read();
  world.clock.advance(2 * day);
  const drop = async (before: string, exported: Readonly<Record<string, number>>) => {
    const days = Object.entries(exported).map(([each, records]) => [each, { records, sha256 }]);
    const input = { before: new Date(before), exported: new Map(days as [string, never][]) };
    return Array.fromAsync(world.operator.dropAccessLog(input));
  };
  const listed = async () =>
    (await world.operator.listCompanyAccessRecords({ companyId, limit: 10 })).records.length;
  return { world, investor, read, drop, listed };
}

test('exports whole days before the date, oldest first, with the name of the investor', async () => {
  const { world, investor } = await threeReads();
  const [first, ...others] = await world.operator.exportAccessLog(new Date('2026-11-04'));
  expect([first?.day, ...others.map((each) => each.day)]).toEqual(['2026-11-02', '2026-11-03']);
  const pages = await Array.fromAsync(first?.read() ?? []);
  const records = pages.flat();
  expect(records).toMatchObject([{}, { investorName: investor.name }]);
  expect(Number(records[0]?.occurredAt)).toBeLessThan(Number(records[1]?.occurredAt));
  expect(await world.operator.exportAccessLog(new Date('2026-11-02'))).toEqual([]);
});

test('refuses to export or drop the records of today and yesterday', async () => {
  const { world, drop } = await threeReads();
  const kept = 'today and yesterday stay in the database';
  const late = new Date('2026-11-05');
  await expectRefusalSaying(world.operator.exportAccessLog(late), 'invalid_parameter', kept);
  await expectRefusalSaying(drop('2026-11-05', {}), 'invalid_parameter', kept);
  expect(await world.operator.exportAccessLog(new Date('2026-11-04'))).toHaveLength(2);
});

test('counts all days before days are exported', async () => {
  let parts = 3;
  const { world } = await threeReads(({ accessStatistics }) => ({
    accessStatistics: {
      ...accessStatistics,
      async countNextDay() {
        parts -= 1;
        return parts > 0;
      },
    },
  }));
  await world.operator.exportAccessLog(new Date('2026-11-04'));
  expect(parts).toBe(0);
});

test('drops an exported day with an entry in the settings log that has no owner', async () => {
  const { world, drop, listed } = await threeReads();
  const exported = { '2026-11-02': 2, '2026-11-03': 1 };
  expect(await drop('2026-11-03', exported)).toEqual([{ day: '2026-11-02', problem: null }]);
  expect(await listed()).toBe(1);
  const { items } = await world.operator.listSettingsChanges();
  expect(items.filter(({ type }) => type === 'access_log.dropped')).toEqual([
    {
      id: expect.stringMatching(/^chg_/),
      type: 'access_log.dropped',
      createdAt: world.clock.now(),
      companyId: null,
      investorId: null,
      actor: { type: 'operator', id: null, name: null },
      subject: { type: 'access_log', id: '2026-11-02', name: '2026-11-02' },
      changes: { records: { from: 2, to: 0 }, exportDigest: { from: null, to: sha256 } },
    },
  ]);
});

test('keeps a day whose number of records differs, and drops the others', async () => {
  const { drop, listed } = await threeReads();
  const problem =
    'the database has 2 records of 2026-11-02 and the manifest has 3; export the day again into another folder';
  expect(await drop('2026-11-04', { '2026-11-02': 3, '2026-11-03': 1 })).toEqual([
    { day: '2026-11-02', problem },
    { day: '2026-11-03', problem: null },
  ]);
  expect(await listed()).toBe(2);
});

test('keeps a day that isn’t in the manifest', async () => {
  const { drop, listed } = await threeReads();
  const problem = "the manifest doesn't hold 2026-11-02; export the day first";
  expect(await drop('2026-11-03', { '2026-11-03': 1 })).toEqual([{ day: '2026-11-02', problem }]);
  expect(await listed()).toBe(3);
});

test('keeps records that arrived after their day was dropped with the same manifest', async () => {
  const { world, read, drop, listed } = await threeReads();
  const exported = { '2026-11-05': 1 };
  await read();
  world.clock.advance(3 * day);
  const kept = { '2026-11-02': 0, '2026-11-03': 0, ...exported };
  expect((await drop('2026-11-06', kept)).at(-1)).toEqual({ day: '2026-11-05', problem: null });
  world.clock.set(new Date('2026-11-05T12:00:00Z'));
  await read();
  world.clock.advance(3 * day);
  const problem =
    'records of 2026-11-05 arrived after it was dropped with this manifest; export the day again into another folder';
  expect((await drop('2026-11-06', kept)).at(-1)).toEqual({ day: '2026-11-05', problem });
  expect(await listed()).toBe(4);
});

test('reports a day that was dropped meanwhile, and stops at any other error', async () => {
  const replaced = (dropDay: () => Promise<void>) =>
    threeReads(({ accessRecords }) => ({
      accessRecords: {
        ...accessRecords,
        listDays: async () => ['2026-10-01', '2026-11-02'],
        dropDay: (each, entryOf) =>
          each === '2026-10-01' ? accessRecords.dropDay(each, entryOf) : dropDay(),
      },
    }));
  const exported = { '2026-10-01': 1, '2026-11-02': 2 };
  const dropped = await replaced(async () => undefined);
  expect(await dropped.drop('2026-11-03', exported)).toEqual([
    { day: '2026-10-01', problem: 'the access log has no partition for this day' },
    { day: '2026-11-02', problem: null },
  ]);
  for (const error of [new AccessError('service_unavailable'), new Error('no right')]) {
    const failing = await replaced(async () => {
      throw error;
    });
    await expect(failing.drop('2026-11-03', exported)).rejects.toBe(error);
  }
});
