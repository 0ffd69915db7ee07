import { describe, expect, test } from 'vitest';
import type { Company } from '#core';
import { asOfNow } from '../support/call.ts';
import {
  aCompany,
  accountRecord,
  addCompany,
  addPair,
  aMetric,
  anAccount,
  anEntry,
  aSource,
  at,
  companyRecord,
  decimal,
  firstPage,
  importAll,
  metricRecord,
  revisionRecord,
  sourceRecord,
} from './builders.ts';
import { contract } from './contract.ts';

const unsigned = { verified: true, signed: false } as const;

export const importsContract = contract('imports', (repositories) => {
  const wholeCompany = (company: Company) => [
    metricRecord(aMetric(company, { period: '2026-10-31' })),
    companyRecord(company),
    metricRecord(aMetric(company, { period: '2026-09-30' })),
    metricRecord(aMetric(company, { key: 'headcount', currency: null })),
    sourceRecord(aSource(company)),
    accountRecord(anAccount(company, { id: 'acc_main', lastFour: null })),
  ];

  test('all data of a new company can be read after the import', async () => {
    const company = aCompany();
    const imported = await importAll(repositories, wholeCompany(company), at(77));
    expect(imported).toMatchObject({ inserted: 6, updated: 0, unchanged: 0 });
    const { companyData, directory } = repositories;
    expect(await directory.findCompany(company.id)).toEqual({ ...company, createdAt: at(77) });
    expect(await companyData.metricHistory(asOfNow(company.id), 'cash_balance')).toHaveLength(2);
    expect(await companyData.latestMetrics(asOfNow(company.id))).toHaveLength(2);
    expect(await companyData.sources(asOfNow(company.id))).toHaveLength(1);
    expect(await companyData.accounts(asOfNow(company.id))).toHaveLength(1);
  });

  test('importing the same records again changes nothing', async () => {
    const company = aCompany();
    const records = wholeCompany(company);
    await importAll(repositories, records, at(1));
    expect(await importAll(repositories, records, at(2))).toMatchObject({
      inserted: 0,
      updated: 0,
      unchanged: 6,
    });
    expect((await repositories.directory.findCompany(company.id))?.createdAt).toEqual(at(1));
  });

  test('an import without lines changes nothing', async () => {
    const company = await addCompany(repositories);
    const push = { companyId: company.id, credential: null, startedAt: at(), isOfOperator: true };
    const counts = await repositories.imports.transact(push, (inside) => inside.apply([]));
    expect(counts).toEqual({ inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 });
  });

  test('an operator can’t import records of an erased company', async () => {
    const company = await addCompany(repositories);
    const name = `Erased company ${company.id}`;
    await repositories.directory.rename({ companyId: company.id }, name, anEntry());
    for (const record of [companyRecord(company), sourceRecord(aSource(company))]) {
      const refusal = { code: 'invalid_parameter' };
      await expect(importAll(repositories, [record])).rejects.toMatchObject(refusal);
    }
    expect(await repositories.directory.findCompany(company.id)).toMatchObject({ name });
    expect(await repositories.companyData.sources(asOfNow(company.id))).toEqual([]);
  });

  describe('imports of portfolios', () => {
    const membership = (investorId: string, companyId: string) =>
      ({ type: 'portfolio', membership: { investorId, companyId } }) as const;

    test('add companies to portfolios, even companies that the same import creates, and keep existing entries', async () => {
      const { directory } = repositories;
      const { investor, company: known } = await addPair(repositories);
      const there = (await directory.pagePortfolio(firstPage(investor.id)))[0];
      const added = aCompany({ environment: investor.environment });
      const records = [
        membership(investor.id, added.id),
        membership(investor.id, known.id),
        companyRecord(added),
      ];
      expect(await importAll(repositories, records, at(7))).toMatchObject({
        inserted: 2,
        updated: 0,
        unchanged: 1,
      });
      const entries = await directory.pagePortfolio(firstPage(investor.id));
      const addedAt = new Map(entries.map((entry) => [entry.company.id, entry.addedAt]));
      expect(addedAt).toEqual(
        new Map([
          [added.id, at(7)],
          [known.id, there?.addedAt],
        ]),
      );
      expect(await importAll(repositories, records)).toMatchObject({ inserted: 0, unchanged: 3 });
    });
  });

  describe('existing records', () => {
    test('are updated only if the imported record differs, and only then count as updated', async () => {
      const company = aCompany();
      await importAll(repositories, wholeCompany(company));
      const [first, , ...rest] = wholeCompany(company);
      if (first === undefined) throw new Error('there is a first');
      const imported = await importAll(repositories, [
        first,
        companyRecord({ ...company, name: 'Renamed' }),
        ...rest,
      ]);
      expect(imported).toMatchObject({ inserted: 0, updated: 1, unchanged: 5 });
      expect((await repositories.directory.findCompany(company.id))?.name).toBe('Renamed');
    });

    test.each([
      ['currency', { currency: 'EUR' }],
      ['missing currency', { currency: null }],
      ['amount', { rawValue: decimal('1250000.500000000001') }],
      ['value', { value: 'about a million' }],
      ['instant', { asOf: at(501) }],
      ['confidence', { confidence: 'low' }],
      ['source', { source: { system: 'mercury', method: 'manual', lastSynced: at(250) } }],
      ['verification', { verification: { ...unsigned, verified: false } }],
      ['signature of its source', { verification: { ...unsigned, sourceSignature: 'a.b.c' } }],
      ['label', { label: 'Cash at bank' }, 1],
      ['category', { category: 'treasury' }, 1],
    ])(
      'are updated if a metric has another value of this field: %s',
      async (_what, change, revision = 2) => {
        const company = await addCompany(repositories);
        const metric = aMetric(company);
        await importAll(repositories, [metricRecord(metric)]);
        const changed = { ...metric, ...change };
        const records = [metricRecord(changed)];
        expect(await importAll(repositories, records)).toMatchObject({ inserted: 0, updated: 1 });
        expect(await repositories.companyData.latestMetrics(asOfNow(company.id))).toEqual([
          { ...changed, revision },
        ]);
        expect(await importAll(repositories, records)).toMatchObject({ updated: 0, unchanged: 1 });
      },
    );

    test('have the same label in all periods of a metric, taken from the last imported line', async () => {
      const company = await addCompany(repositories);
      const records = [
        metricRecord(aMetric(company, { period: '2026-10-31', label: 'Old' })),
        metricRecord(aMetric(company, { period: '2026-09-30', label: 'New' })),
      ];
      expect(await importAll(repositories, records)).toMatchObject({ inserted: 2, updated: 0 });
      const { companyData } = repositories;
      const history = await companyData.metricHistory(asOfNow(company.id), 'cash_balance');
      expect(history.map(({ label }) => label)).toEqual(['New', 'New']);
      expect(await importAll(repositories, records)).toMatchObject({
        inserted: 0,
        updated: 0,
        unchanged: 2,
      });
    });

    test.each(['label', 'category'] as const)(
      'keep the %s of a metric if no imported line contains a new one',
      async (field) => {
        const company = await addCompany(repositories);
        const name = { label: 'ARR', category: 'growth' };
        const complete = aMetric(company, name);
        const made = { label: 'Arr', category: 'other' };
        const partial = { ...complete, [field]: made[field], defaultedFields: [field] };
        const shown = async () => {
          const [metric] = await repositories.companyData.latestMetrics(asOfNow(company.id));
          return { label: metric?.label, category: metric?.category };
        };
        await importAll(repositories, [metricRecord(partial)]);
        expect(await shown()).toEqual({ ...name, [field]: made[field] });
        await importAll(repositories, [
          metricRecord(complete),
          metricRecord({ ...partial, period: '2026-11-30' }),
        ]);
        expect(await shown()).toEqual(name);
        const again = await importAll(repositories, [metricRecord(partial)]);
        expect(again).toMatchObject({ inserted: 0, updated: 0, unchanged: 1 });
        expect(await shown()).toEqual(name);
        const revision = revisionRecord({ ...partial, period: '2026-12-31' });
        await importAll(repositories, [revision]);
        expect(await shown()).toEqual(name);
      },
    );
  });
});
