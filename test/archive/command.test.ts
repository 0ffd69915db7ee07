import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { runCommand } from '../cli/harness.ts';
import {
  addRecords,
  aRecord,
  databases,
  daysAgo,
  instantOf,
  listFiles,
  open,
  useArchive,
} from './support.ts';

describe.each(databases.slice(0, 1))('access-log archive, on $kind', ({ create }) => {
  const one = useArchive(create);

  beforeAll(async () => {
    await addRecords(
      one.composition,
      [daysAgo(6), daysAgo(6), daysAgo(5)].map((day) =>
        aRecord(one.parties, { occurredAt: instantOf(day, 1000) }),
      ),
    );
  });

  test('refuses today and the two days before it', async () => {
    for (const before of [daysAgo(1), daysAgo(0), daysAgo(-1)]) {
      const outcome = await runCommand(['access-log', 'archive', '--before', before], one);
      expect(outcome.exitCode).toBe(1);
      expect(outcome.stderr).toContain('today and the two days before it stay in the database');
    }
  });

  test('that is interrupted says how far it came, and leaves the rest as it was', async () => {
    const interruption = new AbortController();
    interruption.abort();
    const outcome = await runCommand(['access-log', 'archive', '--before', daysAgo(4)], {
      composition: one.composition,
      signal: interruption.signal,
    });
    expect(outcome.exitCode).toBe(130);
    expect(outcome.stderr).toContain('interrupted; 0 days archived');
  });

  test('tells each day while it works, and all of them in one document', async () => {
    const outcome = await runCommand(
      ['access-log', 'archive', '--before', daysAgo(4), '--json'],
      one,
    );
    expect(outcome.stderr).toMatch(
      new RegExp(`^${daysAgo(6)}: 2 records, \\d+ bytes each\n${daysAgo(5)}: 1 record, \\d+ bytes`),
    );
    expect(outcome.json).toEqual({
      object: 'list',
      data: [
        { day: daysAgo(6), records: 2, bytes: expect.any(Number) },
        { day: daysAgo(5), records: 1, bytes: expect.any(Number) },
      ],
      has_more: false,
    });
  });

  test('finds nothing more to do when it is run again', async () => {
    const outcome = await runCommand(['access-log', 'archive', '--before', daysAgo(4)], one);
    expect(outcome.stdout).toContain('No day that old is in the database.');
  });

  test('leaves the list as it was', async () => {
    const commandLine = ['access-log', '--company', one.parties.companyId, '--json'];
    const { json } = await runCommand(commandLine, one);
    expect(json).toMatchObject({ has_more: false, data: [{}, {}, {}] });
    expect(json.archive).toBeUndefined();
  });

  const doctor = async (changes: Readonly<Record<string, string>> = {}) => {
    const { ARCHIVE_DIR: _, ...environment } = one.place.environment;
    const { json } = await runCommand(['doctor', '--json'], {
      environment: { ...environment, ...changes },
    });
    return json.findings.filter(({ check }: { check: string }) => check === 'archive');
  };

  test('doctor tells what is archived, and what stands against reading it', async () => {
    expect(await doctor({ ARCHIVE_DIR: one.place.folder })).toEqual([
      expect.objectContaining({
        state: 'ok',
        message: expect.stringMatching(
          /^access records of 2 days are archived, in 0\.0 MiB; .* has all/,
        ),
      }),
    ]);
    expect(await doctor()).toEqual([
      expect.objectContaining({
        state: 'failed',
        message: 'access records of 2 days are archived, and ARCHIVE_DIR does not say where',
      }),
    ]);
    expect(await doctor({ ARCHIVE_DIR: inject('dataFolder') })).toEqual([
      expect.objectContaining({
        state: 'failed',
        message: expect.stringMatching(/ lacks 2 of 2 files: access-records-.*parquet$/),
      }),
    ]);
  });

  test('a process without the folder says so, and lists what it knows', async () => {
    const { ARCHIVE_DIR: _, ...environment } = one.place.environment;
    const other = await open(environment);
    try {
      const list = ['access-log', '--company', one.parties.companyId];
      const shown = await runCommand(list, { composition: other });
      expect(shown.stdout).toContain(`Records from before ${daysAgo(4)} are in the archive`);
      expect(shown.stdout).toContain('ARCHIVE_DIR does not say');
      expect(other.database.load().isArchiveFailing).toBe(true);
      const { json } = await runCommand([...list, '--json'], { composition: other });
      expect(json).toMatchObject({
        data: [],
        has_more: true,
        archive: { unread_before: daysAgo(4) },
      });
      for (const command of [['access-log', 'archive'], ['drop-access-log']]) {
        const refused = await runCommand([...command, '--before', daysAgo(4)], {
          composition: other,
        });
        expect(refused.exitCode).toBe(1);
        expect(refused.stderr).toContain('ARCHIVE_DIR does not say where the archive is');
      }
    } finally {
      await other.database.close();
    }
  });

  test('a folder that lacks the files is not taken for the archive', async () => {
    const other = await open({ ...one.place.environment, ARCHIVE_DIR: inject('dataFolder') });
    try {
      for (const command of [['access-log', 'archive'], ['drop-access-log']]) {
        const refused = await runCommand([...command, '--before', daysAgo(4)], {
          composition: other,
        });
        expect(refused.exitCode).toBe(1);
        expect(refused.stderr).toContain(
          `the archive at ARCHIVE_DIR lacks access-records-${daysAgo(6)}`,
        );
      }
    } finally {
      await other.database.close();
    }
    const commandLine = ['access-log', '--company', one.parties.companyId, '--json'];
    expect((await runCommand(commandLine, one)).json.data).toHaveLength(3);
  });

  test('drop-access-log removes archived days for good, with their files', async () => {
    const { json } = await runCommand(['drop-access-log', '--before', daysAgo(5), '--json'], one);
    expect(json.data).toContain(daysAgo(6));
    expect(json.data).not.toContain(daysAgo(5));
    const files = await listFiles(one.place);
    expect(files.map((name) => name.slice(15, 25))).toEqual([daysAgo(5), daysAgo(5)]);
    const commandLine = ['access-log', '--company', one.parties.companyId, '--json'];
    expect((await runCommand(commandLine, one)).json.data).toHaveLength(1);
  });

  test('drop-access-log --files-lost removes days whose files are gone', async () => {
    for (const name of await listFiles(one.place)) await rm(join(one.place.folder, name));
    const drop = ['drop-access-log', '--before', daysAgo(4)];
    expect((await runCommand(drop, one)).exitCode).toBe(1);
    const lost = await runCommand([...drop, '--files-lost', '--json'], one);
    expect(lost.json.data).toContain(daysAgo(5));
    expect((await runCommand(drop, one)).exitCode).toBe(0);
  });
});
