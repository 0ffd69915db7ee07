import { expect, test } from 'vitest';
import type { Company, Periods } from '#core';
import { asOfNow } from '../support/call.ts';
import {
  aCompany,
  accountRecord,
  addCompany,
  aMetric,
  anAccount,
  aSource,
  at,
  companyRecord,
  decimal,
  importAll,
  metricRecord,
  sourceRecord,
} from './builders.ts';
import { contract } from './contract.ts';

export const companyDataContract = contract('company data', (repositories) => {
  async function addMetrics(...overrides: readonly Parameters<typeof aMetric>[1][]) {
    const company = await addCompany(repositories);
    const metrics = overrides.map((override) => aMetric(company, override));
    await importAll(repositories, metrics.map(metricRecord));
    return { company, metrics };
  }

  test('a metric is read back with all fields as it was imported', async () => {
    const { company, metrics } = await addMetrics(
      {},
      {
        key: 'headcount',
        label: 'Headcount',
        currency: null,
        value: '48',
        rawValue: decimal('48'),
        category: 'people',
        verification: { verified: false, signed: false },
        confidence: 'unknown',
      },
    );
    expect(await repositories.companyData.latestMetrics(asOfNow(company.id))).toEqual(metrics);
  });

  test('the latest value of each metric is returned, sorted by metric key', async () => {
    const { company, metrics } = await addMetrics(
      { key: 'headcount', period: '2026-09-30' },
      { key: 'Burn', period: '2026-09-30' },
      { key: 'burn_rate', period: '2026-08-31' },
      { key: 'headcount', period: '2026-10-31' },
      { key: 'headcount', period: '2026-08-31' },
    );
    expect(await repositories.companyData.latestMetrics(asOfNow(company.id))).toEqual([
      metrics[1],
      metrics[2],
      metrics[3],
    ]);
  });

  test('a history is read oldest first, and is empty for a metric without data', async () => {
    const { company, metrics } = await addMetrics(
      { period: '2026-10-31', currency: 'EUR' },
      { period: '2026-02-28', source: { system: 'sheet', method: 'manual', lastSynced: at(1) } },
      { period: '2026-09-30', value: '$7' },
      { period: '2026-09-30', key: 'headcount' },
    );
    const { companyData } = repositories;
    expect(await companyData.metricHistory(asOfNow(company.id), 'cash_balance')).toEqual([
      metrics[1],
      metrics[2],
      metrics[0],
    ]);
    expect(await companyData.metricHistory(asOfNow(company.id), 'burn_rate')).toEqual([]);
  });

  test('metric keys are case-sensitive', async () => {
    const { company } = await addMetrics({ key: 'cash' });
    expect(await repositories.companyData.metricHistory(asOfNow(company.id), 'Cash')).toEqual([]);
  });

  test.each([
    '9999999999999999999999999.999999999999',
    '-9999999999999999999999999.999999999999',
    '0.000000000001',
    '-0.1',
    '0',
    '12345678901234567890',
    '1250000.5',
  ])('an amount of %s keeps every digit', async (amount) => {
    const { company } = await addMetrics({ rawValue: decimal(amount) });
    const account = anAccount(company, { rawBalance: decimal(amount) });
    await importAll(repositories, [accountRecord(account)]);
    const [metric] = await repositories.companyData.latestMetrics(asOfNow(company.id));
    expect(metric?.rawValue).toBe(amount);
    const [found] = await repositories.companyData.accounts(asOfNow(company.id));
    expect(found?.rawBalance).toBe(amount);
  });

  test('a source is read back with its sync interval, and another interval is a change of the source', async () => {
    const company = await addCompany(repositories);
    const { companyData } = repositories;
    const given = aSource(company);
    const expected = { ...given, expectedEvery: 'PT1H', staleAt: at(3_600_750) };
    const read = async () => [
      await companyData.sources(asOfNow(company.id)),
      await companyData.version(company.id),
    ];
    await importAll(repositories, [sourceRecord(given)]);
    const [first, firstVersion] = await read();
    expect(first).toEqual([given]);
    const counts = await importAll(repositories, [sourceRecord(expected)]);
    expect(counts).toMatchObject({ inserted: 0, updated: 1, unchanged: 0 });
    const [second, secondVersion] = await read();
    expect(second).toEqual([expected]);
    expect(secondVersion).not.toBe(firstVersion);
    const again = await importAll(repositories, [sourceRecord(expected)]);
    expect(again).toMatchObject({ inserted: 0, updated: 0, unchanged: 1 });
    expect(await read()).toEqual([second, secondVersion]);
    await importAll(repositories, [sourceRecord(given)]);
    expect((await read())[0]).toEqual([given]);
  });

  test('failed and stale sources are counted by environment and status, at a given time', async () => {
    const { companyData } = repositories;
    const [live, test] = [aCompany(), aCompany({ environment: 'test' })];
    const due = (
      company: typeof live,
      accountName: string,
      staleAt: Date | null,
      status = 'connected',
    ) =>
      sourceRecord(
        aSource(company, { accountName, staleAt, status, expectedEvery: staleAt && 'P1D' }),
      );
    const now = at(2_000_000_000);
    const before = await companyData.countUnhealthySources(now);
    await importAll(repositories, [
      companyRecord(live),
      companyRecord(test),
      due(live, 'due now', now),
      due(live, 'due before', at(1_999_999_999)),
      due(live, 'due soon', at(2_000_000_001)),
      due(live, 'never due', null),
      due(live, 'failed', null, 'failed'),
      due(live, 'failed and due', now, 'failed'),
      due(live, 'waits', now, 'reauthorization_required'),
      due(test, 'due now', now),
    ]);
    const after = await companyData.countUnhealthySources(now);
    expect(after).toEqual({
      live: { stale: before.live.stale + 3, failed: before.live.failed + 2 },
      test: { stale: before.test.stale + 1, failed: before.test.failed },
    });
  });

  test('companies with a failed or stale source can be found among given companies', async () => {
    const { companyData } = repositories;
    const now = at(2_000_000_000);
    const names = ['stale', 'stale soon', 'failed', 'connected', 'not given'];
    const companies = [];
    for (const name of names) companies.push(await addCompany(repositories, { name }));
    const [stale, soon, failed, connected, other] = companies as [
      Company,
      Company,
      Company,
      Company,
      Company,
    ];
    const due = (company: Company, staleAt: Date) =>
      sourceRecord(aSource(company, { staleAt, expectedEvery: 'P1D' }));
    await importAll(repositories, [
      due(stale, now),
      sourceRecord(aSource(stale, { accountName: 'Savings', status: 'failed' })),
      due(soon, at(2_000_000_001)),
      sourceRecord(aSource(failed, { status: 'failed' })),
      sourceRecord(aSource(connected)),
      due(other, now),
    ]);
    const given = [stale, soon, failed, connected].map(({ id }) => id);
    expect(await companyData.findCompaniesWithUnhealthySources(given, now)).toEqual(
      new Set([stale.id, failed.id]),
    );
    expect(await companyData.findCompaniesWithUnhealthySources([], now)).toEqual(new Set());
  });

  test('sources are sorted by provider, then by account name', async () => {
    const company = await addCompany(repositories);
    const sources = [
      aSource(company, { provider: 'mercury', accountName: 'Savings' }),
      aSource(company, { provider: 'gusto', status: 'error', lastSyncedAt: at(1) }),
      aSource(company, { provider: 'mercury', accountName: 'Operating' }),
    ];
    await importAll(repositories, sources.map(sourceRecord));
    expect(await repositories.companyData.sources(asOfNow(company.id))).toEqual([
      sources[1],
      sources[2],
      sources[0],
    ]);
  });

  test('accounts are sorted by provider, then by name, then by id', async () => {
    const company = await addCompany(repositories);
    const accounts = [
      anAccount(company, { name: 'Savings', id: 'acc_2', lastFour: null }),
      anAccount(company, { name: 'Savings', id: 'acc_1', type: 'ledger' }),
      anAccount(company, { name: 'Operating', id: 'acc_3', currency: 'EUR' }),
      anAccount(company, { provider: 'brex', id: 'acc_4', type: 'credit' }),
    ];
    await importAll(repositories, accounts.map(accountRecord));
    expect(await repositories.companyData.accounts(asOfNow(company.id))).toEqual([
      accounts[3],
      accounts[2],
      accounts[1],
      accounts[0],
    ]);
  });

  test('a history can be limited to the periods between two periods, including both', async () => {
    const { company } = await addMetrics(
      ...['2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'].map((period) => ({ period })),
    );
    const cut = async (from: string | null, to: string | null) =>
      (
        await repositories.companyData.metricHistory(asOfNow(company.id), 'cash_balance', {
          from,
          to,
        })
      ).map(({ period }) => period);
    expect(await cut('2026-08-31', '2026-09-30')).toEqual(['2026-08-31', '2026-09-30']);
    expect(await cut(null, '2026-07-31')).toEqual(['2026-07-31']);
    expect(await cut('2026-10-01', null)).toEqual(['2026-10-31']);
    expect(await cut('2026-10-31', '2026-07-31')).toEqual([]);
  });

  test('the histories of several metrics are returned in the requested order, each with its own values', async () => {
    const { company } = await addMetrics(
      { key: 'arr', period: '2026-09-30', value: 'arr then' },
      { key: 'arr', period: '2026-10-31', value: 'arr now' },
      { key: 'mrr', period: '2026-10-31', value: 'mrr now' },
    );
    const other = await addMetrics({ key: 'arr', period: '2026-10-31', value: 'elsewhere' });
    const { companyData } = repositories;
    const read = async (id: string, keys: readonly string[], from: string | null = null) =>
      (await companyData.metricHistories(asOfNow(id), keys, { from, to: null })).map(
        ({ key, values }) => [key, ...values.map(({ value }) => value)],
      );
    const [first, second, third, none] = await Promise.all([
      read(company.id, ['mrr', 'none', 'arr']),
      read(other.company.id, ['arr', 'mrr']),
      read(company.id, ['arr'], '2026-10-01'),
      read(company.id, []),
    ]);
    expect(first).toEqual([['mrr', 'mrr now'], ['none'], ['arr', 'arr then', 'arr now']]);
    expect(second).toEqual([['arr', 'elsewhere'], ['mrr']]);
    expect(third).toEqual([['arr', 'arr now']]);
    expect(none).toEqual([]);
    // A read with an empty list must also work alone.
    expect(await read(company.id, [])).toEqual([]);
  });

  test('nearestValues returns each requested period’s value, or the nearest earlier or later one', async () => {
    const periods = ['2025-07-31', '2026-08-31', '2026-10-31'];
    const { company } = await addMetrics(
      ...periods.map((period) => ({ key: 'arr', period, value: `arr ${period}` })),
      { key: 'mrr', period: '2026-10-31', value: 'mrr now' },
    );
    await addMetrics({ key: 'arr', period: '2026-09-15', value: 'elsewhere' });
    const read = async (...places: [key: string, period: string][]) => {
      const asked = places.map(([key, period]) => ({ key, period }));
      const values = await repositories.companyData.nearestValues(asOfNow(company.id), asked);
      return values.map((metric) => metric && [metric.companyId, metric.key, metric.value]);
    };
    const arr = (period: string) => [company.id, 'arr', `arr ${period}`];
    expect(
      await read(
        ['arr', '2026-10-31'],
        ['none', '2026-10-31'],
        ['arr', '2026-09-30'],
        ['mrr', '2020-01-31'],
        ['arr', '2025-07-30'],
        ['arr', '2062-10-31'],
        ['arr', '2026-09-30'],
      ),
    ).toEqual([
      arr('2026-10-31'),
      null,
      arr('2026-08-31'),
      [company.id, 'mrr', 'mrr now'],
      arr('2025-07-31'),
      arr('2026-10-31'),
      arr('2026-08-31'),
    ]);
    expect(await read()).toEqual([]);
  });

  test('the newest values of several metrics can be read up to a limit per metric, oldest first', async () => {
    const periods = ['2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'];
    const { company } = await addMetrics(
      ...periods.map((period) => ({ key: 'arr', period, value: `arr ${period}` })),
      { key: 'mrr', period: '2026-10-31', value: 'mrr now' },
    );
    const other = await addMetrics({ key: 'arr', period: '2026-06-30', value: 'elsewhere' });
    const read = async (id: string, keys: readonly string[], count: number) =>
      (await repositories.companyData.recentValues(asOfNow(id), keys, count)).map(
        ({ key, values }) => [key, ...values.map(({ value }) => value)],
      );
    const [first, second, third] = await Promise.all([
      read(company.id, ['mrr', 'none', 'arr'], 2),
      read(other.company.id, ['arr'], 12),
      read(company.id, [], 12),
    ]);
    expect(first).toEqual([
      ['mrr', 'mrr now'],
      ['none'],
      ['arr', 'arr 2026-09-30', 'arr 2026-10-31'],
    ]);
    expect(second).toEqual([['arr', 'elsewhere']]);
    expect(third).toEqual([]);
  });

  test('the limit of the newest values counts only values in the given periods', async () => {
    const periods = ['2026-06-30', '2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'];
    const { company } = await addMetrics(...periods.map((period) => ({ key: 'arr', period })));
    const read = async (count: number, within: Periods) => {
      const at = asOfNow(company.id);
      const [arr] = await repositories.companyData.recentValues(at, ['arr'], count, within);
      return arr?.values.map(({ period }) => period);
    };
    const asked = await Promise.all([
      read(2, { from: '2026-06-30', to: '2026-08-31' }),
      read(2, { from: null, to: '2026-07-31' }),
      read(9, { from: '2026-09-30', to: null }),
    ]);
    expect(asked).toEqual([periods.slice(1, 3), periods.slice(0, 2), periods.slice(3)]);
  });

  test('simultaneous reads each return the data of the right company and metric', async () => {
    const companies = await Promise.all(Array.from({ length: 12 }, () => addCompany(repositories)));
    const metrics = companies.flatMap((company) => [
      aMetric(company, {
        key: 'cash_balance',
        period: '2026-09-30',
        value: `${company.id} then`,
      }),
      aMetric(company, { key: 'cash_balance', period: '2026-10-31', value: company.id }),
    ]);
    await importAll(repositories, [
      ...metrics.map(metricRecord),
      ...companies.map((company) => sourceRecord(aSource(company, { accountName: company.id }))),
      ...companies.map((company) => accountRecord(anAccount(company, { name: company.id }))),
    ]);
    const { companyData } = repositories;
    const ids = [...companies, ...companies].map(({ id }) => id);
    const atOnce = <T>(ask: (id: string) => Promise<T>) => Promise.all(ids.map(ask));
    const [latest, history, sources, accounts] = await Promise.all([
      atOnce((id) => companyData.latestMetrics(asOfNow(id))),
      atOnce((id) => companyData.metricHistory(asOfNow(id), 'cash_balance')),
      atOnce((id) => companyData.sources(asOfNow(id))),
      atOnce((id) => companyData.accounts(asOfNow(id))),
    ]);
    expect(latest.map((found) => found.map(({ value }) => value))).toEqual(ids.map((id) => [id]));
    expect(history.map((found) => found.map(({ value }) => value))).toEqual(
      ids.map((id) => [`${id} then`, id]),
    );
    expect(sources.map((found) => found.map(({ accountName }) => accountName))).toEqual(
      ids.map((id) => [id]),
    );
    expect(accounts.map((found) => found.map(({ name: account }) => account))).toEqual(
      ids.map((id) => [id]),
    );
  });

  test('a read of one company’s data returns no data of another company', async () => {
    const first = await addCompany(repositories);
    const second = await addCompany(repositories);
    const account = anAccount(first);
    await importAll(repositories, [
      metricRecord(aMetric(first)),
      sourceRecord(aSource(first)),
      accountRecord(account),
      accountRecord({ ...account, companyId: second.id, name: 'The same id elsewhere' }),
    ]);
    const { companyData } = repositories;
    expect(await companyData.latestMetrics(asOfNow(second.id))).toEqual([]);
    expect(await companyData.metricHistory(asOfNow(second.id), 'cash_balance')).toEqual([]);
    expect(await companyData.sources(asOfNow(second.id))).toEqual([]);
    expect(await companyData.accounts(asOfNow(first.id))).toEqual([account]);
  });
});
