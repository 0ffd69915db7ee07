import { expect, test } from 'vitest';
import { openDatabase } from '#db';
import {
  addCompany,
  aMetric,
  at,
  day,
  decimal,
  freshId,
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

  const countStaged = async (importId: string) => {
    const { rows } = await withClient(database.url, (client) =>
      client.query('select count(*)::int as count from import_metric where import_id = $1', [
        importId,
      ]),
    );
    return rows[0]?.count;
  };

  async function stageOne(startedAt: Date) {
    const id = freshId('imp');
    const company = await addCompany(database.repositories);
    const session = await database.repositories.imports.begin(id, startedAt);
    await session.stage([{ line: 1, record: metricRecord(aMetric(company)) }]);
    return { id, session };
  }

  test('that died is cleaned up by one that begins a day later', async () => {
    const dead = await stageOne(at());
    const alive = await stageOne(at(1));
    expect(await countStaged(dead.id)).toBe(1);
    const next = await database.repositories.imports.begin(freshId('imp'), at(day + 1));
    expect(await countStaged(dead.id)).toBe(0);
    expect(await countStaged(alive.id)).toBe(1);
    await next.close();
    await alive.session.close();
    expect(await countStaged(alive.id)).toBe(0);
  });

  test('holds up no reader while it is being applied', async () => {
    const company = await addCompany(database.repositories);
    const old = aMetric(company);
    await importAll(database.repositories, [metricRecord(old)]);
    const session = await database.repositories.imports.begin(freshId('imp'), at());
    const changed = { ...old, rawValue: decimal('7') };
    await session.stage([{ line: 1, record: metricRecord(changed) }]);

    await withClient(database.url, async (client) => {
      // Whoever holds the row stops the import in the middle of its transaction.
      await client.query('begin');
      await client.query(
        `select 1 from metric_point join metric_series on id = series_id
        where company_id = $1 for update of metric_point`,
        [company.id],
      );
      const applying = session.apply();
      await untilSomeoneWaits(database.url);
      const { companyData, directory } = database.repositories;
      expect(await companyData.latestMetrics(asOfNow(company.id))).toEqual([old]);
      expect(await companyData.metricHistory(asOfNow(company.id), old.key)).toEqual([old]);
      expect(await directory.findCompany(company.id)).toEqual(company);
      await client.query('commit');
      expect(await applying).toMatchObject({ inserted: 0, updated: 1, unchanged: 0 });
    });
    await session.close();
    expect(await database.repositories.companyData.latestMetrics(asOfNow(company.id))).toEqual([
      { ...changed, revision: 2 },
    ]);
  });

  test('whose statements take longer than those of requests goes on', async () => {
    const impatient = await openDatabase({
      databaseUrl: database.url,
      dataDir: '',
      role: 'service',
      limits: { statementMilliseconds: 50 },
    });
    const company = await addCompany(impatient.repositories);
    const session = await impatient.repositories.imports.begin(freshId('imp'), at());
    const line = (number: number) => ({
      line: number,
      record: metricRecord(aMetric(company, { key: `metric_${number}` })),
    });
    await session.stage(Array.from({ length: 20_000 }, (_, index) => line(index + 1)));
    expect(await session.apply()).toMatchObject({ inserted: 20_000, updated: 0, unchanged: 0 });
    await session.close();
    await impatient.close();
  });
});
