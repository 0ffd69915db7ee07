import { expect, test } from 'vitest';
import { openDatabase } from '#db';
import {
  aCompany,
  addCompany,
  aMetric,
  companyRecord,
  decimal,
  importAll,
  metricRecord,
} from '../contracts/builders.ts';
import { asOfNow } from '../support/call.ts';
import {
  describeOnPostgres,
  untilSomeoneWaits,
  useDatabase,
  withClient,
} from '../support/databases.ts';

await describeOnPostgres('an import', (createDatabase) => {
  const database = useDatabase(createDatabase);

  test('doesn’t block readers while it is running', async () => {
    const company = await addCompany(database.repositories);
    const old = aMetric(company);
    await importAll(database.repositories, [metricRecord(old)]);
    const changed = { ...old, rawValue: decimal('7') };

    await withClient(database.url, async (client) => {
      // A lock on this row stops the import in the middle of its transaction.
      await client.query('begin');
      await client.query(
        `select 1 from metric_point join metric_series on id = series_id
        where company_id = $1 for update of metric_point`,
        [company.id],
      );
      const applying = importAll(database.repositories, [metricRecord(changed)]);
      await untilSomeoneWaits(database.url);
      const { companyData, directory } = database.repositories;
      expect(await companyData.latestMetrics(asOfNow(company.id))).toEqual([old]);
      expect(await companyData.metricHistory(asOfNow(company.id), old.key)).toEqual([old]);
      expect(await directory.findCompany(company.id)).toEqual(company);
      await client.query('commit');
      expect(await applying).toMatchObject({ inserted: 0, updated: 1, unchanged: 0 });
    });
    expect(await database.repositories.companyData.latestMetrics(asOfNow(company.id))).toEqual([
      { ...changed, revision: 2 },
    ]);
  });

  test('adds each record once, even if a simultaneous import adds the same companies in reverse order', async () => {
    const companies = Array.from({ length: 4 }, () => aCompany());
    const records = companies.flatMap((company) => [
      companyRecord(company),
      metricRecord(aMetric(company)),
    ]);
    const imported = await Promise.all(
      [records, records.toReversed()].map((each) => importAll(database.repositories, each)),
    );
    const sum = (of: 'inserted' | 'updated' | 'unchanged') =>
      imported.reduce((total, counts) => total + counts[of], 0);
    expect([sum('inserted'), sum('updated'), sum('unchanged')]).toEqual([8, 0, 8]);
  });

  test('completes even if its statements exceed the time limit of an API request’s statements', async () => {
    const impatient = await openDatabase({
      databaseUrl: database.url,
      dataDir: '',
      role: 'service',
      limits: { statementMilliseconds: 50 },
    });
    const company = await addCompany(database.repositories);
    const records = Array.from({ length: 20_000 }, (_, index) =>
      metricRecord(aMetric(company, { key: `metric_${index}` })),
    );
    const counts = await importAll(impatient.repositories, records);
    expect(counts).toMatchObject({ inserted: 20_000, updated: 0, unchanged: 0 });
    await impatient.close();
  });
});
