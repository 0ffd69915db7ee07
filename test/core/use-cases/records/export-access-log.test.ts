import { expect, test, vi } from 'vitest';
import { AccessError } from '#core';
import { createWorld, day, expectRefusal, newcomerIn } from '../../world.ts';

const sha256 = 'a'.repeat(64);

/** Today is 5 November. There are two reads on 2 November and one on 3 November. */
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

test('an export of the access log contains the whole days before a date, oldest first, with investors’ names', async () => {
  const { world, investor } = await threeReads();
  const [first, ...others] = await world.operator.exportAccessLog(new Date('2026-11-04'));
  expect([first?.day, ...others.map((each) => each.day)]).toEqual(['2026-11-02', '2026-11-03']);
  const pages = await Array.fromAsync(first?.read() ?? []);
  const records = pages.flat();
  expect(records).toMatchObject([{}, { investorName: investor.name }]);
  expect(Number(records[0]?.occurredAt)).toBeLessThan(Number(records[1]?.occurredAt));
  expect(await world.operator.exportAccessLog(new Date('2026-11-02'))).toEqual([]);
});

test('the access records of today and yesterday can’t be exported or dropped', async () => {
  const { world, drop } = await threeReads();
  const kept = 'today and yesterday stay in the database';
  const late = new Date('2026-11-05');
  await expectRefusal(world.operator.exportAccessLog(late), 'invalid_parameter', kept);
  await expectRefusal(drop('2026-11-05', {}), 'invalid_parameter', kept);
  expect(await world.operator.exportAccessLog(new Date('2026-11-04'))).toHaveLength(2);
});

test('an export of the access log first counts the reads of all finished days for the statistics', async () => {
  const { world } = await threeReads();
  const count = vi.spyOn(world.ports.accessStatistics, 'countNextDay');
  count.mockResolvedValueOnce(true).mockResolvedValueOnce(true).mockResolvedValueOnce(false);
  await world.operator.exportAccessLog(new Date('2026-11-04'));
  expect(count).toHaveBeenCalledTimes(3);
});

test('the deletion of an exported day is logged in the settings log without an owner', async () => {
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

test('the deletion of the access log keeps a day whose number of records differs from the manifest', async () => {
  const { drop, listed } = await threeReads();
  const problem =
    'the database has 2 records of 2026-11-02 and the manifest has 3; export the day again into another folder';
  expect(await drop('2026-11-04', { '2026-11-02': 3, '2026-11-03': 1 })).toEqual([
    { day: '2026-11-02', problem },
    { day: '2026-11-03', problem: null },
  ]);
  expect(await listed()).toBe(2);
});

test('the deletion of the access log keeps a day that isn’t in the manifest', async () => {
  const { drop, listed } = await threeReads();
  const problem = "the manifest doesn't contain 2026-11-02; export the day first";
  expect(await drop('2026-11-03', { '2026-11-03': 1 })).toEqual([{ day: '2026-11-02', problem }]);
  expect(await listed()).toBe(3);
});

test('the deletion of the access log keeps records that arrived after the deletion of their day', async () => {
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

test('the deletion of the access log reports a day that is already deleted and continues, but stops at an error', async () => {
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
