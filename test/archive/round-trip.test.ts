import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AccessRecord, grantableScopes, protocols, resources } from '#core';
import {
  addRecords,
  aRecord,
  databases,
  daysAgo,
  instantOf,
  listFiles,
  useArchive,
} from './support.ts';

describe.each(databases)('records that are archived, on $kind', ({ create }) => {
  const one = useArchive(create);

  const listed = async () => {
    const { records } = await one.composition.operatorUseCases.listCompanyAccessRecords({
      companyId: one.parties.companyId,
      limit: 1000,
    });
    return records.map(({ investorName: _, ...record }) => record);
  };

  // PostgreSQL keeps no NUL, and no half of a pair.
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .filter((each) => !each.includes('\0') && each.isWellFormed());

  test('come back with every field as it was', async () => {
    const day = daysAgo(9);
    const [record] = fc.sample(
      fc.array(
        fc.record({
          requestId: text,
          protocol: fc.constantFrom(...protocols),
          keyId: text,
          scope: fc.constantFrom(...grantableScopes),
          resource: fc.constantFrom(...resources),
          metricKey: fc.option(text),
          occurredAt: fc.nat(86_399_999).map((milliseconds) => instantOf(day, milliseconds)),
          how: fc.oneof(
            fc.record({ grantId: text, outcome: fc.constant('allowed' as const) }),
            fc.record({
              grantId: fc.constant(null),
              outcome: fc.constantFrom('access_required', 'access_pending', 'company_not_found'),
              count: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
            }),
          ),
        }),
        { minLength: 60, maxLength: 60 },
      ),
      1,
    );
    const records = (record ?? []).map(({ how, ...each }) =>
      aRecord(one.parties, { ...each, ...how } as Partial<AccessRecord>),
    );
    await addRecords(one.composition, records);
    const before = await listed();
    expect(before).toHaveLength(60);

    const [archived] = await one.archive(daysAgo(8));

    expect(archived).toMatchObject({ day, records: 60 });
    expect(await one.inDatabase()).toEqual([]);
    expect(await listed()).toEqual(before);
  });

  test('stand in one file with a manifest that tells its digest, for the owner alone', async () => {
    const [file, manifest, ...others] = await listFiles(one.place);
    expect(others).toEqual([]);
    expect(file).toMatch(/^access-records-\d{4}-\d\d-\d\d-[0-9a-f]{16}\.parquet$/);
    expect(manifest).toBe(`${file}.json`);
    const path = join(one.place.folder, file ?? '');
    const bytes = await readFile(path);
    expect(JSON.parse(await readFile(`${path}.json`, 'utf8'))).toEqual({
      version: 1,
      day: daysAgo(9),
      records: 60,
      file,
      bytes: bytes.length,
      file_sha256: createHash('sha256').update(bytes).digest('hex'),
      records_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(one.place.folder)).mode & 0o777).toBe(0o700);
  });
});
