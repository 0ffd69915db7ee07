import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Composition } from '../../gateway/compose.ts';
import { withClient } from '../support/databases.ts';
import {
  type ArchivingDatabase,
  addParties,
  addRecords,
  aRecord,
  daysAgo,
  instantOf,
  open,
  type Parties,
  postgresOnly,
} from './support.ts';

describe.each(postgresOnly)('drop-access-log, on $kind', ({ create }) => {
  let place: ArchivingDatabase;
  let composition: Composition;
  let parties: Parties;

  beforeAll(async () => {
    place = await create();
    composition = await open(place.environment);
    parties = await addParties(composition);
  });
  afterAll(async () => {
    await composition?.database.close();
    await place?.remove();
  });

  /** The days of what is listed, newest first, and how many reads the statistics tell. */
  const shown = async () => {
    const { items } = await composition.companyUseCases.listReceivedRecords(parties.company, {
      limit: 100,
    });
    const { total } = await composition.companyUseCases.readAccessStatistics(parties.company, {
      since: instantOf(daysAgo(40)),
    });
    return {
      days: items.map(({ occurredAt }) => occurredAt.toISOString().slice(0, 10)),
      counted: total.allowed,
    };
  };
  const drop = () => composition.operatorUseCases.dropAccessRecords(instantOf(daysAgo(10)));

  test('takes some parts at a time, and goes on where it was stopped', async () => {
    const days = Array.from({ length: 15 }, (_, index) => daysAgo(30 - index));
    const [archived = '', ...others] = days;
    const kept = daysAgo(5);
    const records = [...days, kept].map((day) => aRecord(parties, { occurredAt: instantOf(day) }));
    await addRecords(composition, records);
    await composition.operatorUseCases.archiveAccessRecords({ before: instantOf(others[0] ?? '') });
    await composition.operatorUseCases.countAccessRecords();
    expect(await shown()).toEqual({ days: [kept, ...days.toReversed()], counted: 16 });

    const table = `access_record_${others[12]?.replaceAll('-', '_')}`;
    await withClient(place.url ?? '', async (other) => {
      await other.query('begin');
      await other.query(`lock table ${table} in row exclusive mode`);
      const stopped = expect(drop()).rejects.toThrow();
      const stop = `select pg_terminate_backend(pid) from pg_locks
        where not granted and relation = '${table}'::regclass`;
      await expect.poll(() => other.query(stop)).toMatchObject({ rows: [{}] });
      await stopped;
      await other.query('rollback');
    });

    const left = others.slice(10);
    expect(await shown()).toEqual({
      days: [kept, ...left.toReversed()],
      counted: 1 + left.length,
    });
    expect(await drop()).toEqual([archived, ...left]);
    expect(await shown()).toEqual({ days: [kept], counted: 1 });
    expect(await readdir(place.folder)).toEqual([]);
    expect(await drop()).toEqual([]);
  });
});
