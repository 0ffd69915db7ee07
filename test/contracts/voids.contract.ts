import { expect, test } from 'vitest';
import {
  changeOfEnteredData,
  type ImportRecord,
  type MetricRevision,
  type StoredRecord,
  settingsChange,
} from '#core';
import { asOfNow } from '../support/call.ts';
import {
  addCompany,
  aMetric,
  at,
  aVoid,
  decimal,
  freshId,
  importAll,
  linesOf,
  metricRecord,
  voidRecord,
} from './builders.ts';
import { contract } from './contract.ts';

const [september, october] = ['2026-09-30', '2026-10-31'];
const key = 'cash_balance';
const all = { from: null, to: null };

export const voidsContract = contract('voided values', (repositories) => {
  async function withVoid(voidReason?: string | null) {
    const company = await addCompany(repositories);
    await importAll(repositories, [
      metricRecord(aMetric(company, { period: september, rawValue: decimal('7') })),
      metricRecord(aMetric(company)),
    ]);
    const voided = voidRecord(aVoid(company, voidReason));
    const counts = await importAll(repositories, [voided]);
    return { company, voided, counts, place: asOfNow(company.id) };
  }

  const seen = (values: readonly MetricRevision[]) =>
    values.map(({ period, rawValue }) => [period, rawValue]);

  test('are stored as new revisions, and a second void of the same value changes nothing', async () => {
    const { voided, counts, place } = await withVoid();
    expect(counts).toMatchObject({ inserted: 0, updated: 1 });
    expect(await importAll(repositories, [voided])).toMatchObject({ updated: 0, unchanged: 1 });
    const revisions = await repositories.companyData.metricRevisions(place, key);
    expect(revisions.slice(1)).toMatchObject([
      { period: october, revision: 1, rawValue: '1250000.5' },
      { period: october, revision: 2, rawValue: null, value: null, voidReason: 'Wrong month' },
    ]);
  });

  test('appear only in reads of revisions', async () => {
    const { company, place } = await withVoid(null);
    const { companyData } = repositories;
    const kept = [[september, '7']];
    expect(seen(await companyData.latestMetrics(place))).toEqual(kept);
    expect(seen(await companyData.metricHistory(place, key))).toEqual(kept);
    const october = { from: '2026-10-01', to: null };
    expect(seen(await companyData.metricHistory(place, key, october))).toEqual([]);
    const [history] = await companyData.metricHistories(place, [key], all);
    expect(seen(history?.values ?? [])).toEqual(kept);
    const [recent] = await companyData.recentValues(place, [key], 1);
    expect(seen(recent?.values ?? [])).toEqual(kept);
    const [nearest] = await companyData.nearestValues(place, [{ key, period: '2026-10-31' }]);
    expect(seen(nearest ? [nearest] : [])).toEqual(kept);
    expect(await companyData.metricRevisions(place, key, october)).toMatchObject([
      { revision: 1 },
      { rawValue: null, voidReason: null, revision: 2 },
    ]);
    expect(await companyData.metricNames(company.id)).toEqual(
      new Map([[key, { label: 'Cash balance', category: 'liquidity' }]]),
    );
  });

  test('leave a metric its label, even if all its values are voided', async () => {
    const company = await addCompany(repositories);
    await importAll(repositories, [metricRecord(aMetric(company))]);
    await importAll(repositories, [voidRecord(aVoid(company))]);
    const { companyData } = repositories;
    expect(await companyData.latestMetrics(asOfNow(company.id))).toEqual([]);
    expect([...(await companyData.metricNames(company.id)).keys()]).toEqual([key]);
  });

  test('change the version of the data', async () => {
    const company = await addCompany(repositories);
    await importAll(repositories, [metricRecord(aMetric(company))]);
    const before = await repositories.companyData.version(company.id);
    await importAll(repositories, [voidRecord(aVoid(company))]);
    expect(await repositories.companyData.version(company.id)).not.toBe(before);
  });

  test('are exported with their reason, as is a later value for the same period', async () => {
    const { company } = await withVoid();
    await importAll(repositories, [metricRecord(aMetric(company, { rawValue: decimal('9') }))]);
    const records: StoredRecord[] = [];
    const { id: companyId } = company;
    await repositories.exports.read({ companyId, publicKeyUrl: '' }, async (batch) => {
      records.push(...batch);
    });
    const exported = records.flatMap((record) => (record.type === 'metric' ? [record.metric] : []));
    expect(seen(exported)).toEqual([
      [september, '7'],
      [october, '1250000.5'],
      [october, null],
      [october, '9'],
    ]);
    expect(exported[2]).toMatchObject({ voidReason: 'Wrong month' });
  });

  test('can be found before a change, like any current value', async () => {
    const { company } = await withVoid();
    const places = [september, october, '2026-08-31', october].map((period) => ({
      companyId: company.id,
      key,
      period,
    }));
    const byPeriod = (values: readonly MetricRevision[]) =>
      seen(values).toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
    const expected = [
      [september, '7'],
      [october, null],
    ];
    const push = { companyId: company.id, credential: null, startedAt: at() };
    const found = await repositories.imports.transact(push, (inside) =>
      inside.findLatestRevisions(places),
    );
    expect(byPeriod(found)).toEqual(expected);
  });

  test('refer to the log entry of the person who voided them, like values that a person has entered', async () => {
    const company = await addCompany(repositories);
    const { id: companyId } = company;
    const actor = { kind: 'contact', contactId: 'ct_1', email: 'ada@example.com' };
    const ids = { next: freshId };
    const enter = (records: readonly ImportRecord[], isEntered = true) =>
      repositories.imports.transact(
        { companyId, credential: null, startedAt: at() },
        async (inside) => {
          const changed = changeOfEnteredData(company, { method: 'manual', reason: 'Typo' });
          const entry = settingsChange(ids, at(), actor, changed);
          await inside.apply(linesOf(records), { entryId: isEntered ? entry.id : null });
          if (isEntered) await inside.log(entry);
        },
      );
    const entries = async () =>
      (await repositories.companyData.metricEntries(companyId, key)).map((entry) => [
        entry.period,
        entry.revision,
        entry.actor.name,
        entry.enteredAt instanceof Date,
        entry.method,
        entry.reason,
      ]);
    await enter([metricRecord(aMetric(company))]);
    await enter([voidRecord(aVoid(company))]);
    const first = [october, 1, 'ada@example.com', true, 'manual', 'Typo'];
    const second = [october, 2, 'ada@example.com', true, 'manual', 'Typo'];
    expect(await entries()).toEqual([first, second]);
    await enter([metricRecord(aMetric(company, { rawValue: decimal('3') }))], false);
    expect(await entries()).toEqual([first, second]);
    // An entry that repeats a stored value changes nothing, so no log entry is written.
    await enter([metricRecord(aMetric(company, { rawValue: decimal('3') }))]);
    expect(await entries()).toEqual([first, second]);
    expect(await repositories.companyData.metricEntries(companyId, 'arr')).toEqual([]);
  });
});
