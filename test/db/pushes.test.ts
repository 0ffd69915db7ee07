import { expect, test } from 'vitest';
import { type Company, DataLocked, type ImportRecord } from '#core';
import { openDatabase } from '#db';
import {
  accountRecord,
  addCompany,
  aMetric,
  anAccount,
  aSource,
  at,
  decimal,
  importAll,
  linesOf,
  metricRecord,
  sourceRecord,
} from '../contracts/builders.ts';
import { asOfNow } from '../support/call.ts';
import {
  describeOnPostgres,
  untilSomeoneWaits,
  useDatabase,
  withClient,
} from '../support/databases.ts';
import { startStatementCounter } from '../support/statement-counter.ts';
import { createTestSigner } from '../support/test-signer.ts';

await describeOnPostgres('pushes', (createDatabase) => {
  const database = useDatabase(createDatabase);

  const aValue = (company: Company, text: string): ImportRecord =>
    metricRecord(aMetric(company, { rawValue: decimal(text) }));

  const aPeriodLater = (company: Company): ImportRecord =>
    metricRecord(aMetric(company, { period: '2027-01-31' }));

  /** @param onLocked called once no other session can change the company's data */
  const push = (
    company: Company,
    text: string,
    until: Promise<unknown> = Promise.resolve(),
    onLocked = () => {},
  ) =>
    database.repositories.imports.transact(
      { credential: null, companyId: company.id, startedAt: at() },
      async (transaction) => {
        onLocked();
        const counts = await transaction.apply(linesOf([aValue(company, text)]));
        await until;
        return counts;
      },
    );

  const readOf = async ({ id }: Company) =>
    database.repositories.companyData.latestMetrics(asOfNow(id));

  test('don’t wait for pushes or imports of other companies', async () => {
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

  test('block an import of the same company, which then counts the pushed values as unchanged', async () => {
    const { repositories } = database;
    const company = await addCompany(repositories);
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const pushing = push(company, '1', held.promise, locked.resolve);
    await locked.promise;
    const importing = importAll(repositories, [aValue(company, '1')]);
    await untilSomeoneWaits(database.url);
    held.resolve();
    await pushing;
    expect(await importing).toMatchObject({ inserted: 0, updated: 0, unchanged: 1 });
  });

  test('fail with DataLocked while an import of the same company runs', async () => {
    const { repositories } = database;
    const company = await addCompany(repositories);
    await importAll(repositories, [aValue(company, '1')]);
    await withClient(database.url, async (client) => {
      await client.query('begin');
      // A lock on this row stops the import in the middle of its transaction.
      await client.query(
        `select 1 from metric_point join metric_series on id = series_id
        where company_id = $1 for update of metric_point`,
        [company.id],
      );
      const applying = importAll(repositories, [aValue(company, '2')]);
      await untilSomeoneWaits(database.url);
      await expect(push(company, '2')).rejects.toThrow(DataLocked);
      await client.query('commit');
      expect(await applying).toMatchObject({ updated: 1 });
      expect(await push(company, '2')).toMatchObject({ updated: 0, unchanged: 1 });
    });
  });

  /** Returns the operation and the value for each row of metric_point that the push writes. */
  async function writesOf(push: () => Promise<unknown>): Promise<string[]> {
    await withClient(database.url, (client) =>
      client.query(`
        create table written (what text);
        create function note_write() returns trigger language plpgsql as $$
          begin insert into written values (tg_op || ' ' || new.raw_value); return null; end $$;
        create trigger is_written after insert or update on metric_point
          for each row execute function note_write()`),
    );
    await push();
    return withClient(database.url, async (client) => {
      const { rows } = await client.query('select what from written');
      await client.query(`drop trigger is_written on metric_point; drop function note_write;
        drop table written`);
      return rows.map(({ what }) => String(what));
    });
  }

  test('write each new value once and with its signature, and write no stored value again', async () => {
    const { repositories } = database;
    const signer = await createTestSigner(repositories);
    const company = await addCompany(repositories);
    const values = (...texts: string[]) =>
      linesOf(
        texts.map((text, line) =>
          metricRecord(
            aMetric(company, { period: `2026-0${line + 1}-28`, rawValue: decimal(text) }),
          ),
        ),
      );
    const pushSigned = (...texts: string[]) =>
      repositories.imports.transact(
        { credential: null, companyId: company.id, startedAt: at() },
        (transaction) => transaction.apply(values(...texts), { signing: signer }),
      );
    expect(await writesOf(() => pushSigned('1', '2', '3'))).toEqual([
      'INSERT 1',
      'INSERT 2',
      'INSERT 3',
    ]);
    expect(await writesOf(() => pushSigned('1', '5', '3'))).toEqual(['UPDATE 5']);
    expect(await writesOf(() => pushSigned('1', '5', '3'))).toEqual([]);
    const { id } = company;
    expect(await repositories.companyData.metricHistory(asOfNow(id), 'cash_balance')).toMatchObject(
      [
        { rawValue: '1', revision: 1, verification: { signed: true } },
        { rawValue: '5', revision: 2, verification: { signed: true } },
        { rawValue: '3', revision: 1, verification: { signed: true } },
      ],
    );
  });

  test('write nothing if all their data is already stored: no row, no row lock, no signature', async () => {
    const counter = await startStatementCounter(database.url);
    const counted = await openDatabase({ databaseUrl: counter.url, dataDir: '', role: 'service' });
    try {
      const { repositories } = counted;
      const signer = await createTestSigner(repositories);
      const company = await addCompany(repositories);
      const records: readonly ImportRecord[] = [
        aValue(company, '1'),
        sourceRecord(aSource(company)),
        accountRecord(anAccount(company)),
      ];
      let version = '';
      const push = (batch: readonly ImportRecord[], signing = signer) =>
        repositories.imports.transact(
          { credential: null, companyId: company.id, startedAt: at() },
          async (transaction) => {
            const counts = await transaction.apply(linesOf(batch), { signing });
            version = await transaction.readVersion();
            return counts;
          },
        );
      const rows = () =>
        withClient(database.url, async (client) => {
          const { rows } = await client.query(
            `select xmin, xmax, to_jsonb(source) as row from source where company_id = $1
            union all select xmin, xmax, to_jsonb(account) from account where company_id = $1
            union all select xmin, xmax, to_jsonb(metric_series) from metric_series where company_id = $1
            union all select point.xmin, point.xmax, to_jsonb(point) from metric_point as point
              join metric_series as series on series.id = series_id where company_id = $1`,
            [company.id],
          );
          return rows;
        });
      const unsigning: typeof signer = {
        ...signer,
        sign: () => {
          throw new Error('nothing is there to sign');
        },
      };
      expect(await push(records)).toMatchObject({ inserted: 3, signed: 1 });
      const before = { rows: await rows(), version };
      expect(before.rows).toHaveLength(4);
      expect(await push(records, unsigning)).toMatchObject({
        inserted: 0,
        updated: 0,
        unchanged: 3,
      });
      expect({ rows: await rows(), version }).toEqual(before);
      // The five statements: begin, the row scope, the lock, the comparison and commit.
      const metrics = records.slice(0, 1);
      expect(await counter.count(() => push(metrics, unsigning))).toBe(5);
      const withAnother = [...metrics, aPeriodLater(company)];
      expect(await counter.count(() => push(withAnother))).toBeGreaterThan(5);
    } finally {
      await counted.close();
      await counter.close();
    }
  });
});
