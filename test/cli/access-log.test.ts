import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type CompanyCaller, companyScopes } from '#core';
import type { Composition } from '../../gateway/compose.ts';
import {
  aCompany,
  addInvestor,
  anAccessRecord,
  anApiKey,
  anEntry,
  freshId,
  keyChanges,
} from '../contracts/builders.ts';
import { backends, settingsOf } from '../support/backends.ts';
import { aCall } from '../support/call.ts';
import { createRoles } from '../support/roles.ts';
import type { Storage } from '../support/service.ts';
import { openDatabase } from './database.ts';
import { type Json, runCommand } from './harness.ts';

const daysAgo = (count: number) =>
  new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
const [oldest, full, newest, later, end] = [7, 6, 5, 4, 3].map(daysAgo) as [
  string,
  string,
  string,
  string,
  string,
];
const fileOf = (day: string) => `access-records-${day}.ndjson.gz`;

/** Fills more than two pages. All records have the same time. */
const moreThanPages = 12_000;

describe.each(backends)('the access log ($name)', ({ open }) => {
  let storage: Storage;
  let release: () => Promise<void>;
  let composition: Composition;
  let folder: string;
  let company: CompanyCaller;
  let reader: { readonly keyId: string; readonly investorId: string; readonly companyId: string };

  const add = (day: string, id = freshId('rec')) =>
    composition.database.repositories.accessRecords.record(
      anAccessRecord({ ...reader, id, occurredAt: new Date(`${day}T12:00:00Z`), grantId: 'ar_1' }),
    );
  const read = async (path: string) => JSON.parse(await readFile(join(folder, path), 'utf8'));
  const daysIn = async (manifest: string) => (await read(manifest)).days.map(dayOf);
  const dayOf = ({ day }: Json) => day;
  const exportBefore = (before: string, to = folder, given = {}) =>
    runCommand(['access-log', 'export', '--before', before, '--out', to, '--json'], {
      composition,
      ...given,
    });
  const dropBefore = (before: string, manifest: string, on = composition) =>
    runCommand(
      ['access-log', 'drop', '--before', before, '--manifest', join(folder, manifest), '--json'],
      { composition: on },
    );
  const listed = async () => {
    const line = ['access-log', '--company', reader.companyId, '--limit', '5', '--json'];
    return (await runCommand(line, { composition })).json;
  };
  const counted = async () => {
    await composition.serviceUseCases.countAccessRecords();
    const since = new Date(daysAgo(30));
    return composition.companyUseCases.readAccessStatistics(company, { since });
  };

  beforeAll(async () => {
    ({ storage, release } = await open());
    composition = await openDatabase(settingsOf(storage), () => undefined);
    folder = await mkdtemp(join(inject('dataFolder'), 'access-log-'));
    const { repositories } = composition.database;
    const investor = await addInvestor(repositories);
    const added = anApiKey(investor);
    await keyChanges(repositories.apiKeys).add(added);
    const { id: companyId } = aCompany();
    await repositories.directory.addCompany({ ...aCompany(), id: companyId }, anEntry());
    reader = { keyId: added.key.id, investorId: investor.id, companyId };
    company = {
      ...aCall,
      ...{ kind: 'company', companyId, environment: investor.environment, scopes: companyScopes },
      actor: { type: 'company_key', id: freshId('ck') },
    } as unknown as CompanyCaller;
    for (const day of [oldest, full, newest, later]) await add(day);
    await composition.database.createPartitionsAhead(new Date());
    for (let many = 0; many < moreThanPages; many += 1_000) {
      const ids = Array.from({ length: 1_000 }, (_, index) => many + index);
      await Promise.all(ids.map((id) => add(full, `rec_many_${id}`)));
    }
  });
  afterAll(async () => {
    await composition?.database.close();
    await release?.();
    await rm(folder, { recursive: true, force: true });
  });

  test('can’t be exported for today and yesterday', async () => {
    const { exitCode, stderr } = await exportBefore(daysAgo(0));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('today and yesterday stay in the database');
  });

  test('keeps the days that are already exported if the export is interrupted', async () => {
    const stop = new AbortController();
    const outcome = await exportBefore(later, folder, {
      signal: stop.signal,
      onStderr: () => stop.abort(),
    });
    expect(outcome.exitCode).toBe(130);
    expect(outcome.stderr).toContain(
      'interrupted; 1 day exported; run the command again for the other days',
    );
    expect(await daysIn('manifest.json')).toEqual([oldest]);
    expect((await readdir(folder)).toSorted()).toEqual([fileOf(oldest), 'manifest.json']);
  });

  test('can be exported again after a killed export that has written a day’s file but not the manifest', async () => {
    await writeFile(join(folder, fileOf(full)), 'a part of another attempt');
    const before = await stat(join(folder, fileOf(oldest)));
    const { exitCode, json } = await exportBefore(later);
    expect(exitCode).toBe(0);
    expect(json.data).toMatchObject([
      { day: full, file: fileOf(full), records: moreThanPages + 1 },
      { day: newest, file: fileOf(newest), records: 1 },
    ]);
    expect(await stat(join(folder, fileOf(oldest)))).toMatchObject({ mtimeMs: before.mtimeMs });
    expect(await daysIn('manifest.json')).toEqual([oldest, full, newest]);
  });

  test('is exported once per record, in the format of --json, with counts and digests in the manifest', async () => {
    const { days } = await read('manifest.json');
    for (const { file, records, sha256 } of days) {
      const bytes = await readFile(join(folder, file));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
      const lines = gunzipSync(bytes).toString().trimEnd().split('\n');
      const ids = lines.map((line) => JSON.parse(line).id);
      expect([lines.length, new Set(ids).size]).toEqual([records, records]);
    }
    const [line = ''] = gunzipSync(await readFile(join(folder, fileOf(newest))))
      .toString()
      .split('\n');
    const { data } = await listed();
    expect(data.map((record: Json) => record.occurred_at.slice(0, 10))).toContain(newest);
    expect(data).toContainEqual(JSON.parse(line));
  });

  test('is exported again for a day only if the day’s file is missing or was changed', async () => {
    expect((await exportBefore(later)).json.data).toEqual([]);
    await appendFile(join(folder, fileOf(oldest)), 'more');
    expect((await exportBefore(later)).json.data.map(dayOf)).toEqual([oldest]);
    await rm(join(folder, fileOf(newest)));
    expect((await exportBefore(later)).json.data.map(dayOf)).toEqual([newest]);
  });

  test('isn’t deleted with a manifest that doesn’t exist or has other content', async () => {
    await writeFile(join(folder, 'other.json'), '{"version":1,"days":[{"day":"2026-01-01"}]}');
    for (const [file, reason] of [
      ['none.json', "doesn't exist"],
      ['other.json', "isn't a manifest"],
    ] as const) {
      const { exitCode, stderr } = await dropBefore(end, file);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(reason)]);
    }
  });

  test('can be exported by the operator role, but dropped only by the owner of the tables', async (context) => {
    if (!('databaseUrl' in storage)) return context.skip();
    const roles = await createRoles(storage.databaseUrl);
    const environment = { DATABASE_URL: roles.operatorUrl };
    const operator = await openDatabase(environment, () => undefined);
    const own = join(folder, 'of-operator');
    const exported = await exportBefore(later, own, { composition: operator });
    expect(exported.json.data.map(dayOf)).toEqual([oldest, full, newest]);
    const { exitCode, stderr } = await dropBefore(end, 'manifest.json', operator);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('permission denied')]);
    await operator.database.close();
    await roles.drop();
  });

  test('is deleted for the exported days, and keeps the other days and all statistics', async () => {
    await add(full);
    const before = await counted();
    // The record that was just added arrived late, so the statistics don't count it.
    expect(before.total.allowed).toBe(moreThanPages + 4);
    const { exitCode, stderr, json } = await dropBefore(end, 'manifest.json');
    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: 2 days not dropped\n');
    const differs = `the database has ${moreThanPages + 2} records of ${full} and the manifest has ${moreThanPages + 1}; export the day again into another folder`;
    expect(json.data).toEqual([
      { day: oldest, problem: null, dropped: true },
      { day: full, problem: differs, dropped: false },
      { day: newest, problem: null, dropped: true },
      {
        day: later,
        problem: `the manifest doesn't contain ${later}; export the day first`,
        dropped: false,
      },
    ]);
    expect(await counted()).toEqual(before);
    const { data } = await listed();
    const days = data.map((record: Json) => record.occurred_at.slice(0, 10));
    expect(days).toEqual([later, full, full, full, full]);
  });

  test('adds an entry to the settings log for each dropped day', async () => {
    const { days } = await read('manifest.json');
    const { json } = await runCommand(['settings-log', '--json'], { composition });
    const dropped = json.data.filter(
      ({ type, actor }: Json) => type === 'access_log.dropped' && actor.type === 'operator',
    );
    expect(dropped.toReversed()).toMatchObject(
      [days[0], days[2]].map(({ day, records, sha256 }) => ({
        actor: { type: 'operator' },
        subject: { type: 'access_log', id: day },
        changes: { records: { from: records, to: 0 }, export_digest: { from: null, to: sha256 } },
        company_id: null,
        investor_id: null,
      })),
    );
  });

  test('accepts a late record for a dropped day, and later exports and drops this record', async () => {
    const before = await counted();
    await add(oldest);
    await composition.database.createPartitionsAhead(new Date());
    expect(await counted()).toEqual(before);
    const { json } = await dropBefore(full, 'manifest.json');
    expect(json.data).toMatchObject([{ day: oldest, dropped: false }]);
    await exportBefore(end, join(folder, 'again'));
    expect(await daysIn('again/manifest.json')).toEqual([oldest, full, later]);
    const { exitCode, stdout } = await runCommand(
      [
        ...['access-log', 'drop', '--before', end],
        ...['--manifest', join(folder, 'again/manifest.json')],
      ],
      { composition },
    );
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${oldest}: dropped\n${full}: dropped\n${later}: dropped\n`);
    expect((await listed()).data).toEqual([]);
    expect((await counted()).total).toEqual(before.total);
    expect((await dropBefore(end, 'manifest.json')).json.data).toEqual([]);
  });
});
