import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { ownerName } from '../../db/archive/owner.ts';
import { withClient } from '../support/databases.ts';
import {
  addParties,
  addRecords,
  aRecord,
  daysAgo,
  instantOf,
  listFiles,
  open,
  postgresOnly,
  useArchive,
  withDatabase,
} from './support.ts';

/** In seconds since 1970. */
const daysAgoAt = (age: number) => Date.now() / 1000 - age * 86_400;

describe.each(postgresOnly)('drop-access-log, on $kind', ({ create }) => {
  const one = useArchive(create);

  /** The days of what is listed, newest first, and how many reads the statistics tell. */
  const shown = async () => {
    const items = await one.listed();
    const { total } = await one.composition.companyUseCases.readAccessStatistics(
      one.parties.company,
      { since: instantOf(daysAgo(40)) },
    );
    return {
      days: items.map(({ occurredAt }) => occurredAt.toISOString().slice(0, 10)),
      counted: total.allowed,
    };
  };
  const drop = () => one.composition.operatorUseCases.dropAccessRecords(instantOf(daysAgo(10)));

  test('takes some parts at a time, and goes on where it was stopped', async () => {
    const days = Array.from({ length: 15 }, (_, index) => daysAgo(30 - index));
    const [archived = '', ...others] = days;
    const kept = daysAgo(5);
    const records = [...days, kept].map((day) =>
      aRecord(one.parties, { occurredAt: instantOf(day) }),
    );
    await addRecords(one.composition, records);
    await one.archive(others[0] ?? '');
    await one.composition.serviceUseCases.countAccessRecords();
    expect(await shown()).toEqual({ days: [kept, ...days.toReversed()], counted: 16 });

    const table = `access_record_${others[12]?.replaceAll('-', '_')}`;
    await withClient(one.place.url ?? '', async (other) => {
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
    expect(await listFiles(one.place)).toEqual([]);
    expect(await drop()).toEqual([]);
  });

  test('removes what an attempt that was killed has left, once it is a day old', async () => {
    const leave = async (digest: string, age: number) => {
      const names = [`access-records-${daysAgo(20)}-${digest}.parquet`, `.writing-${digest}`];
      const [file = '', folder = ''] = names.map((name) => join(one.place.folder, name));
      await writeFile(file, 'records');
      await mkdir(folder);
      await writeFile(join(folder, 'records.parquet'), 'records');
      for (const path of [file, folder]) await utimes(path, daysAgoAt(age), daysAgoAt(age));
      return names;
    };
    await leave('0123456789abcdef', 2);
    const young = await leave('fedcba9876543210', 0);
    expect(await drop()).toEqual([]);
    expect(await listFiles(one.place)).toEqual(young.toSorted());
    for (const name of young) await rm(join(one.place.folder, name), { recursive: true });
  });

  test('is refused where the folder is the archive of another database', async () => {
    const another = await create();
    const elsewhere = await open({ ...another.environment, ARCHIVE_DIR: one.place.folder });
    const day = daysAgo(14);
    const others = await addParties(elsewhere);
    await addRecords(elsewhere, [aRecord(others, { occurredAt: instantOf(day) })]);
    const { archiveAccessRecords, dropAccessRecords } = elsewhere.operatorUseCases;
    await one.add(day);
    await one.archive(daysAgo(13));
    const left = await listFiles(one.place);
    expect(left).toHaveLength(2);
    for (const name of left) await utimes(join(one.place.folder, name), daysAgoAt(2), daysAgoAt(2));
    await expect(archiveAccessRecords({ before: instantOf(daysAgo(13)) })).rejects.toThrow(
      'is the archive of another database',
    );
    await expect(dropAccessRecords(instantOf(daysAgo(13)))).rejects.toThrow(
      'is the archive of another database',
    );
    await rm(join(one.place.folder, ownerName));
    await expect(archiveAccessRecords({ before: instantOf(daysAgo(13)) })).rejects.toThrow(
      'is the archive of another database',
    );
    expect(await listFiles(one.place)).toEqual(left);
    expect(await drop()).toEqual([day]);
    expect(await listFiles(one.place)).toEqual([]);
    await elsewhere.database.close();
    await another.remove();
  });

  test('that was stopped before the files were removed knows the archive by what is left', async () => {
    const days = [daysAgo(14), daysAgo(13)];
    await addRecords(
      one.composition,
      days.map((day) => aRecord(one.parties, { occurredAt: instantOf(day) })),
    );
    await one.archive(daysAgo(12));
    await withDatabase(one.place.url ?? '', 'update access_record_archive set is_forgotten = true');

    const other = await open({ ...one.place.environment, ARCHIVE_DIR: inject('dataFolder') });
    const elsewhere = other.operatorUseCases.dropAccessRecords(instantOf(daysAgo(10)));
    await expect(elsewhere).rejects.toThrow('the archive at ARCHIVE_DIR lacks access-records-');
    await other.database.close();

    const [file = ''] = (await listFiles(one.place)).filter((name) => name.endsWith('.parquet'));
    await rm(join(one.place.folder, file));
    expect(await drop()).toEqual(days);
    expect(await listFiles(one.place)).toEqual([]);
  });
});
