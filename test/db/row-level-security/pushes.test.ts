import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDataEvents,
  createStaleEvents,
  type ImportRecord,
  type PushTransaction,
} from '#core';
import { type Database, openDatabase } from '#db';
import { sql } from '../../../db/connections/store.ts';
import { createId } from '../../../gateway/ids.ts';
import {
  accountRecord,
  aMetric,
  anAccount,
  aSource,
  at,
  decimal,
  linesOf,
  metricRecord,
  revisionRecord,
  sourceRecord,
} from '../../contracts/builders.ts';
import { asOfNow } from '../../support/call.ts';
import { describeOnPostgres } from '../../support/databases.ts';
import { useWorld } from './world.ts';

await describeOnPostgres('the role of requests, in a push', (createDatabase) => {
  const { world, open, asOwner } = useWorld(createDatabase);
  let database: Database;

  beforeAll(async () => {
    const { serviceUrl, backgroundUrl } = world().roles;
    database = await openDatabase({
      databaseUrl: serviceUrl,
      backgroundUrl,
      dataDir: '',
      role: 'service',
    });
  });
  afterAll(() => database.close());

  const companyOf = (index: 0 | 1) => ({
    id: world().neighbours.companies[index],
    name: '',
    environment: 'test' as const,
    createdAt: at(),
  });

  const push = <T>(work: (transaction: PushTransaction) => Promise<T>) =>
    database.repositories.imports.transact(
      { credential: null, companyId: companyOf(0).id, startedAt: at() },
      work,
    );

  const recordsOf = (index: 0 | 1): ImportRecord[] => [
    metricRecord(aMetric(companyOf(index), { key: 'pushed', rawValue: decimal('7') })),
    metricRecord(aMetric(companyOf(index), { key: 'cash_balance', rawValue: decimal('7') })),
    revisionRecord(aMetric(companyOf(index), { key: 'revised' })),
    sourceRecord(aSource(companyOf(index), { provider: 'Pushed' })),
    accountRecord(anAccount(companyOf(index), { id: 'acc_pushed' })),
  ];

  /** Everything stored about the other company, which the push must not change. */
  const lookAtOther = () =>
    asOwner(
      `select
        (select string_agg(point::text, '' order by point::text) from metric_point as point
          join metric_series on id = series_id where company_id = $1) as points,
        (select string_agg(series::text, '' order by id) from metric_series as series
          where company_id = $1) as series,
        (select string_agg(source::text, '' order by source::text) from source
          where company_id = $1) as sources,
        (select string_agg(account::text, '' order by account::text) from account
          where company_id = $1) as accounts,
        (select version from company_data_version where company_id = $1) as version`,
      [companyOf(1).id],
    );

  test('has enough rights to write the pushed data of its company', async () => {
    const result = await push(async (transaction) => {
      const counts = await transaction.apply(linesOf(recordsOf(0)));
      await transaction.storePush({
        key: 'pushed',
        fingerprint: '00',
        pushedAt: at(),
        expiresAt: at(1),
        result: { created: 1, revised: 0, unchanged: 0, dataVersion: '1' },
      });
      return { counts, kept: await transaction.findStoredPush('pushed', at()) };
    });
    expect(result).toMatchObject({ counts: { inserted: 4, updated: 1 }, kept: { key: 'pushed' } });
    const { companyData } = database.repositories;
    const metrics = await companyData.latestMetrics(asOfNow(companyOf(0).id, 'test'));
    expect(metrics.map(({ key }) => key)).toEqual(expect.arrayContaining(['pushed', 'revised']));
    await database.backgroundRepositories.imports.deleteExpiredPushes(at(2));
    expect(await push((transaction) => transaction.findStoredPush('pushed', at()))).toBeNull();
  });

  const eventsOf = (index: 0 | 1) =>
    asOwner(
      `select type, investor_id, data, scopes from access_event
        where company_id = $1 and data is not null order by number`,
      [companyOf(index).id],
    );

  test('has enough rights to write events, but only about its own changes', async () => {
    const before = await eventsOf(0);
    const others = await eventsOf(1);
    const source = aSource(companyOf(0), { provider: 'Told', status: 'failed' });
    const version = await push(async (transaction) => {
      await transaction.apply(linesOf([sourceRecord(source)]), {
        createEvents: (change) => createDataEvents(change, () => createId('evt'), new Date()),
      });
      return transaction.readVersion();
    });
    const told = (await eventsOf(0)).slice(before.length);
    const scopes = ['sources:read'];
    expect(told).toMatchObject([
      { type: 'company_data.updated', investor_id: null, data: { dataVersion: version }, scopes },
      { type: 'source.failed', investor_id: null, data: { provider: 'Told' }, scopes },
    ]);
    expect(await eventsOf(1)).toEqual(others);
  });

  test('the background role reports a stale source of the company once', async () => {
    const { imports } = database.backgroundRepositories;
    const [other, before] = [await lookAtOther(), await eventsOf(0)];
    await push(async (transaction) => {
      const stale = { expectedEvery: 'PT1H', lastSyncedAt: at(), staleAt: at(1) };
      const record = sourceRecord(aSource(companyOf(0), { provider: 'Late', ...stale }));
      await transaction.apply(linesOf([record]));
    });
    const tell = () =>
      imports.writeStaleEvents(companyOf(0).id, at(2), (lapse) =>
        createStaleEvents(lapse, () => createId('evt'), new Date()),
      );
    expect(await imports.listUnreportedStale({ now: at(2), after: null, limit: 10 })).toEqual([
      { companyId: companyOf(0).id, staleAt: at(1) },
    ]);
    expect([await tell(), await tell()]).toEqual([1, 0]);
    expect((await eventsOf(0)).slice(before.length)).toMatchObject([
      { type: 'source.stale', investor_id: null, data: { provider: 'Late' } },
    ]);
    expect(await lookAtOther()).toEqual(other);
  });

  test('can’t write data of another company', async () => {
    const before = await lookAtOther();
    for (const record of recordsOf(1)) {
      await push((transaction) => transaction.apply(linesOf([record]))).catch((error: unknown) =>
        expect(error).toMatchObject({ message: expect.stringMatching(/row-level security/) }),
      );
    }
    expect(await lookAtOther()).toEqual(before);
  });

  describe('in the scope of its company', () => {
    const run = (text: string, scope: { companies?: string[]; investors?: string[] }) =>
      open(world().roles.serviceUrl).scopes.scoped(scope).run(sql.raw<object>(text));
    const other = () => companyOf(1).id;
    const seriesOfOther = async () => {
      const [row] = await asOwner('select id from metric_series where company_id = $1 limit 1', [
        other(),
      ]);
      return String(row?.id);
    };
    const point = (series: string) => `
      insert into metric_point (series_id, period, currency, raw_value, value, as_of, confidence,
        source_system, source_method, last_synced, verified)
      values (${series}, '1999-01-31', 'USD', 1, '1', now(), '', '', '', now(), true)`;

    const statements: Record<string, () => Promise<string> | string> = {
      'a new metric': () =>
        `insert into metric_series (company_id, key, label, category)
          values ('${other()}', 'hostile', '', '')`,
      'a new value': async () => point(await seriesOfOther()),
      'a new source': () => `insert into source values ('${other()}', 'p', 'a', 's', now())`,
      'a new account': () =>
        `insert into account values ('${other()}', 'a', 'p', 'n', 'bank', 'USD', '', 1, null, now())`,
      'a source that moves to the other company': () =>
        `update source set company_id = '${other()}'`,
      'the version of its data': () => `insert into company_data_version values ('${other()}', 1)
        on conflict (company_id) do update set version = 1`,
      'an event of its data':
        () => `insert into access_event (id, type, created_at, company_id, data, scopes)
        select 'evt_hostile', 'company_data.updated', now(), '${other()}', '{"dataVersion": "1"}',
          array['metrics:read']`,
      'the stored answer to a push': () => `insert into idempotent_push
        values ('${other()}', 'k', '', now(), now(), 1, 1, 1, 1)`,
      'a revision': async () => `insert into metric_revision
        select ${await seriesOfOther()}, period, currency, raw_value, value, as_of, confidence,
          source_system, source_method, last_synced, verified, 1 from metric_point limit 1`,
    };

    test.each(Object.keys(statements))('can’t change data of another company: %s', async (what) => {
      const before = await lookAtOther();
      const text = await statements[what]?.();
      const own = { companies: [companyOf(0).id] };
      await expect(run(String(text), own)).rejects.toMatchObject({ code: '42501' });
      expect(await lookAtOther()).toEqual(before);
    });

    test.each([
      `update metric_point set value = 'hostile', revision = revision + 1, signed_at = null,
        signature = null, signing_key = null`,
      `update account set balance = 'hostile'`,
      `update source set status = 'hostile'`,
      `update metric_series set label = 'hostile'`,
      'update company_data_version set version = 1',
    ])('finds no row of another company that it could change: %s', async (text) => {
      const before = await lookAtOther();
      await run(text, { companies: [companyOf(0).id] });
      expect(await lookAtOther()).toEqual(before);
      // The statement also changes nothing in the scope of an investor, or without a scope.
      const { investors } = world().neighbours;
      const mine = await asOwner('select version from company_data_version order by company_id');
      await run(text, { investors: [investors[0]] });
      await run(text, {});
      expect(await asOwner('select version from company_data_version order by company_id')).toEqual(
        mine,
      );
    });

    test.each([
      'delete from metric_point',
      'delete from metric_revision',
      'delete from source',
      'delete from account',
      'truncate metric_series',
      `update metric_revision set value = 'hostile'`,
      `insert into signing_key (kid, public_key, created_at) values ('k', 'x', now())`,
      'lock table metric_series in access exclusive mode',
      'lock table metric_point in share mode',
      `update metric_series set company_id = 'co_hostile'`,
      'update metric_point set series_id = 1',
    ])('is refused even for its own company: %s', async (text) => {
      await expect(run(text, { companies: [companyOf(0).id] })).rejects.toMatchObject({
        code: expect.stringMatching(/^42/),
      });
    });
  });
});
