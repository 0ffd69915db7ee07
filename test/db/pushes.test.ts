import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Company, ImportRecord } from '#core';
import { type Database, openDatabase } from '#db';
import {
  addCompany,
  aMetric,
  at,
  decimal,
  freshId,
  importAll,
  metricRecord,
} from '../contracts/builders.ts';
import { asOfNow } from '../support/call.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';

await describeOnPostgres('pushes', (createDatabase) => {
  let url: string;
  let database: Database;

  beforeAll(async () => {
    url = (await createDatabase()).url;
    database = await openDatabase({ databaseUrl: url, dataDir: '', role: 'service' });
    await database.migrate();
  });
  afterAll(() => database.close());

  const aValue = (company: Company, text: string): ImportRecord =>
    metricRecord(aMetric(company, { rawValue: decimal(text) }));

  const push = (company: Company, text: string, until: Promise<unknown> = Promise.resolve()) =>
    database.repositories.imports.transact(
      { companyId: company.id, startedAt: at() },
      async (transaction) => {
        await transaction.stage([{ line: 0, record: aValue(company, text) }]);
        const counts = await transaction.apply();
        await until;
        return counts;
      },
    );

  const readOf = async ({ id }: Company) =>
    database.repositories.companyData.latestMetrics(asOfNow(id));

  /** Resolves once somebody waits for a lock. */
  const someoneWaits = () =>
    expect
      .poll(() =>
        withClient(url, (watcher) =>
          watcher.query(`select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`),
        ),
      )
      .toMatchObject({ rows: [{}] });

  test('of different companies do not wait for each other, nor do imports of others', async () => {
    const { repositories } = database;
    const [busy, other, third] = [
      await addCompany(repositories),
      await addCompany(repositories),
      await addCompany(repositories),
    ];
    const held = Promise.withResolvers<void>();
    const first = push(busy, '1', held.promise);
    expect(await push(other, '2')).toMatchObject({ inserted: 1 });
    expect(await importAll(repositories, [aValue(third, '3')])).toMatchObject({ inserted: 1 });
    expect(await readOf(busy)).toEqual([]);
    held.resolve();
    expect(await first).toMatchObject({ inserted: 1 });
    expect(await readOf(busy)).toHaveLength(1);
  });

  test('an import waits for a push of its company, and counts what that has done', async () => {
    const { repositories } = database;
    const company = await addCompany(repositories);
    const held = Promise.withResolvers<void>();
    const pushing = push(company, '1', held.promise);
    const importing = importAll(repositories, [aValue(company, '1')]);
    await someoneWaits();
    held.resolve();
    await pushing;
    expect(await importing).toMatchObject({ inserted: 0, updated: 0, unchanged: 1 });
  });

  test('a push waits for an import of its company', async () => {
    const { repositories } = database;
    const company = await addCompany(repositories);
    await importAll(repositories, [aValue(company, '1')]);
    const session = await repositories.imports.begin(freshId('imp'), at());
    await session.stage([{ line: 1, record: aValue(company, '2') }]);
    await withClient(url, async (client) => {
      await client.query('begin');
      // Whoever holds the row stops the import in the middle of its transaction.
      await client.query(
        `select 1 from metric_point join metric_series on id = series_id
        where company_id = $1 for update of metric_point`,
        [company.id],
      );
      const applying = session.apply();
      await someoneWaits();
      const pushing = push(company, '2');
      await client.query('commit');
      expect(await applying).toMatchObject({ updated: 1 });
      expect(await pushing).toMatchObject({ updated: 0, unchanged: 1 });
    });
    await session.close();
  });

  test('leave nothing behind in the tables of imports', async () => {
    const company = await addCompany(database.repositories);
    await push(company, '1');
    const { rows } = await withClient(url, (client) =>
      client.query(`select (select count(*)::int from import_run)
        + (select count(*)::int from import_metric where company_id = '${company.id}') as count`),
    );
    expect(rows).toEqual([{ count: 0 }]);
  });
});
