import { expect, test } from 'vitest';
import type { StoredRecord } from '#core';
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
import { describeOnPostgres, useDatabase } from '../support/databases.ts';

await describeOnPostgres('an export', (createDatabase) => {
  const database = useDatabase(createDatabase);

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

  test('is a snapshot of the data at one time, and doesn’t block writers', async () => {
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
