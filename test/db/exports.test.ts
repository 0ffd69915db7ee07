import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredRecord } from '#core';
import { type Database, openDatabase } from '#db';
import {
  aCompany,
  aMetric,
  aSource,
  companyRecord,
  decimal,
  importAll,
  metricRecord,
  sourceRecord,
} from '../contracts/builders.ts';
import { describeOnPostgres } from '../support/databases.ts';

await describeOnPostgres('an export', (createDatabase) => {
  let database: Database;

  beforeAll(async () => {
    const { url } = await createDatabase();
    database = await openDatabase({ databaseUrl: url, dataDir: '', role: 'service' });
    await database.migrate();
  });
  afterAll(() => database.close());

  const read = async (companyId: string, meanwhile: () => Promise<unknown> = async () => {}) => {
    const records: StoredRecord[] = [];
    await database.repositories.exports.read(
      { companyId, publicKeyUrl: 'https://keys.example' },
      async (batch) => {
        if (records.length === 0) await meanwhile();
        records.push(...batch);
      },
    );
    return records;
  };

  test('is as of one instant, and holds up nobody who writes meanwhile', async () => {
    const { repositories } = database;
    const company = aCompany();
    const values = (amount: string) => [
      companyRecord({ ...company, name: `Name ${amount}` }),
      sourceRecord(aSource(company, { status: amount })),
      metricRecord(aMetric(company, { rawValue: decimal(amount), label: `Label ${amount}` })),
      metricRecord(aMetric(company, { key: `key_${amount}` })),
    ];
    await importAll(repositories, values('1'));
    const before = await read(company.id);
    const during = await read(company.id, () => importAll(repositories, values('2')));
    expect(during).toEqual(before);
    const after = await read(company.id);
    expect(after).toHaveLength(before.length + 2);
  });
});
