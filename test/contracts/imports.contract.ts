import { describe, expect, test } from 'vitest';
import type { Company } from '#core';
import { asOfNow } from '../support/call.ts';
import {
  aCompany,
  accountRecord,
  addCompany,
  addInvestor,
  addPair,
  aMetric,
  anAccount,
  aSource,
  at,
  companyRecord,
  decimal,
  firstPage,
  freshId,
  importAll,
  linesOf,
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

  test('everything about a new company is shown once the import is applied', async () => {
    const company = aCompany();
    const imported = await importAll(repositories, wholeCompany(company), at(77));
    expect(imported).toMatchObject({ inserted: 6, updated: 0, unchanged: 0, problems: [] });
    const { companyData, directory } = repositories;
    expect(await directory.findCompany(company.id)).toEqual({ ...company, createdAt: at(77) });
    expect(await companyData.metricHistory(asOfNow(company.id), 'cash_balance')).toHaveLength(2);
    expect(await companyData.latestMetrics(asOfNow(company.id))).toHaveLength(2);
    expect(await companyData.sources(asOfNow(company.id))).toHaveLength(1);
    expect(await companyData.accounts(asOfNow(company.id))).toHaveLength(1);
  });

  test('importing the same again changes nothing', async () => {
    const company = aCompany();
    const records = wholeCompany(company);
    await importAll(repositories, records, at(1));
    expect(await importAll(repositories, records, at(2))).toMatchObject({
      inserted: 0,
      updated: 0,
      unchanged: 6,
      problems: [],
    });
    expect((await repositories.directory.findCompany(company.id))?.createdAt).toEqual(at(1));
  });

  test('nothing is shown before the import is applied, nor when it never is', async () => {
    const company = aCompany();
    const session = await repositories.imports.begin(freshId('imp'), at());
    await session.stage(linesOf(wholeCompany(company)));
    expect(await Array.fromAsync(session.findProblems())).toEqual([]);
    const { companyData, directory } = repositories;
    expect(await directory.findCompany(company.id)).toBeNull();
    expect(await companyData.latestMetrics(asOfNow(company.id))).toEqual([]);
    await session.close();
    expect(await directory.findCompany(company.id)).toBeNull();
  });

  test('an import without a line changes nothing', async () => {
    const nothing = { inserted: 0, updated: 0, unchanged: 0, problems: [] };
    expect(await importAll(repositories, [])).toMatchObject(nothing);
  });

  test('what a closed import staged is not applied by the next', async () => {
    const company = aCompany();
    const id = freshId('imp');
    const first = await repositories.imports.begin(id, at());
    await first.stage([{ line: 1, record: companyRecord(company) }]);
    await first.close();
    const second = await repositories.imports.begin(id, at());
    expect(await second.apply()).toMatchObject({ inserted: 0, updated: 0, unchanged: 0 });
    await second.close();
  });

  test('two imports at once keep out of each other’s way', async () => {
    const companies = [aCompany(), aCompany()] as const;
    const sessions = await Promise.all(
      companies.map(() => repositories.imports.begin(freshId('imp'), at())),
    );
    const [first, second] = sessions;
    if (first === undefined || second === undefined) throw new Error('two were begun');
    await first.stage([{ line: 1, record: companyRecord(companies[0]) }]);
    await second.stage([
      { line: 1, record: companyRecord(companies[1]) },
      { line: 2, record: metricRecord(aMetric(companies[0])) },
    ]);
    const [problem] = await Array.fromAsync(second.findProblems());
    expect(problem?.line).toBe(2);
    expect(await first.apply()).toMatchObject({ inserted: 1, updated: 0, unchanged: 0 });
    await first.close();
    expect(await Array.fromAsync(second.findProblems())).toEqual([]);
    expect(await second.apply()).toMatchObject({ inserted: 2, updated: 0, unchanged: 0 });
    await second.close();
  });

  describe('of portfolios', () => {
    const membership = (investorId: string, companyId: string) =>
      ({ type: 'portfolio', membership: { investorId, companyId } }) as const;

    test('companies come into them, also those of the same import, and stay as they are', async () => {
      const { directory } = repositories;
      const { investor, company: known } = await addPair(repositories);
      const there = (await directory.pagePortfolio(firstPage(investor.id)))[0];
      const added = aCompany({ environment: investor.environment });
      const records = [
        membership(investor.id, added.id),
        membership(investor.id, known.id),
        companyRecord(added),
        membership(investor.id, added.id),
      ];
      expect(await importAll(repositories, records, at(7))).toMatchObject({
        inserted: 2,
        updated: 0,
        unchanged: 1,
        problems: [],
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

    test('an investor or company that nobody knows, or of another environment, is a problem', async () => {
      const investor = await addInvestor(repositories, { environment: 'live' });
      const company = await addCompany(repositories, { environment: 'live' });
      const foreign = await addCompany(repositories, { environment: 'test' });
      const imported = await importAll(repositories, [
        membership('inv_nobody', company.id),
        membership(investor.id, 'co_nobody'),
        membership(investor.id, foreign.id),
        membership(investor.id, company.id),
      ]);
      expect(imported.problems).toEqual([
        { line: 1, reason: 'investor_id: there is no investor inv_nobody' },
        { line: 2, reason: 'company_id: there is no company co_nobody' },
        {
          line: 3,
          reason: `investor_id: ${investor.id} is of the live environment, ${foreign.id} of test`,
        },
      ]);
      const entries = await repositories.directory.readPortfolio(investor.id);
      expect(entries.map((entry) => entry.company.id)).toEqual([company.id]);
    });
  });

  describe('of several lines about the same thing', () => {
    test('the last one counts, and they count as one', async () => {
      const company = aCompany();
      const account = anAccount(company);
      const imported = await importAll(repositories, [
        companyRecord({ ...company, name: 'First name' }),
        metricRecord(aMetric(company, { rawValue: decimal('1') })),
        sourceRecord(aSource(company, { status: 'error' })),
        accountRecord({ ...account, balance: 'first' }),
        metricRecord(aMetric(company, { rawValue: decimal('2') })),
        accountRecord({ ...account, balance: 'last' }),
        sourceRecord(aSource(company, { status: 'connected' })),
        companyRecord({ ...company, name: 'Last name' }),
      ]);
      expect(imported).toMatchObject({ inserted: 4, updated: 0, unchanged: 0 });
      const { companyData, directory } = repositories;
      expect((await directory.findCompany(company.id))?.name).toBe('Last name');
      expect(await companyData.metricHistory(asOfNow(company.id), 'cash_balance')).toMatchObject([
        { rawValue: '2' },
      ]);
      expect(await companyData.sources(asOfNow(company.id))).toMatchObject([
        { status: 'connected' },
      ]);
      expect(await companyData.accounts(asOfNow(company.id))).toMatchObject([{ balance: 'last' }]);
    });

    test('the last one counts across batches too', async () => {
      const company = await addCompany(repositories);
      const session = await repositories.imports.begin(freshId('imp'), at());
      const stage = (line: number, amount: string) => {
        const metric = aMetric(company, { rawValue: decimal(amount) });
        return session.stage([{ line, record: metricRecord(metric) }]);
      };
      await stage(1, '1');
      await stage(2, '2');
      expect(await session.apply()).toMatchObject({ inserted: 1, updated: 0, unchanged: 0 });
      await session.close();
      const found = await repositories.companyData.latestMetrics(asOfNow(company.id));
      expect(found).toMatchObject([{ rawValue: '2' }]);
    });
  });

  describe('what is known already', () => {
    test('is updated where it differs, and only that counts as updated', async () => {
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
      ['currency that there is none of', { currency: null }],
      ['amount', { rawValue: decimal('1250000.500000000001') }],
      ['value', { value: 'about a million' }],
      ['instant', { asOf: at(501) }],
      ['confidence', { confidence: 'low' }],
      ['source', { source: { system: 'mercury', method: 'manual', lastSynced: at(250) } }],
      ['verification', { verification: { ...unsigned, verified: false } }],
      ['signature of its source', { verification: { ...unsigned, sourceSignature: 'a.b.c' } }],
      ['label', { label: 'Cash at bank' }, 1],
      ['category', { category: 'treasury' }, 1],
    ])('a metric with another %s is updated', async (_what, change, revision = 2) => {
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
    });

    test('a metric’s label is one for all periods: the last line’s', async () => {
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

    test.each(['label', 'category'] as const)('a %s that no line says is kept', async (field) => {
      const company = await addCompany(repositories);
      const name = { label: 'ARR', category: 'growth' };
      const said = aMetric(company, name);
      const made = { label: 'Arr', category: 'other' };
      const unsaid = { ...said, [field]: made[field], unsaid: [field] };
      const shown = async () => {
        const [metric] = await repositories.companyData.latestMetrics(asOfNow(company.id));
        return { label: metric?.label, category: metric?.category };
      };
      await importAll(repositories, [metricRecord(unsaid)]);
      expect(await shown()).toEqual({ ...name, [field]: made[field] });
      await importAll(repositories, [
        metricRecord(said),
        metricRecord({ ...unsaid, period: '2026-11-30' }),
      ]);
      expect(await shown()).toEqual(name);
      const again = await importAll(repositories, [metricRecord(unsaid)]);
      expect(again).toMatchObject({ inserted: 0, updated: 0, unchanged: 1 });
      expect(await shown()).toEqual(name);
      const revision = revisionRecord({ ...unsaid, period: '2026-12-31' });
      await importAll(repositories, [revision]);
      expect(await shown()).toEqual(name);
    });

    test('a new label of a metric with many periods counts as one update', async () => {
      const company = await addCompany(repositories);
      const records = (label: string) =>
        ['2026-08-31', '2026-09-30', '2026-10-31'].map((period) =>
          metricRecord(aMetric(company, { period, label })),
        );
      await importAll(repositories, records('Cash'));
      expect(await importAll(repositories, records('Cash at bank'))).toMatchObject({
        inserted: 0,
        updated: 1,
        unchanged: 2,
      });
    });

    test('new and known records of one import are counted apart', async () => {
      const company = await addCompany(repositories);
      await importAll(repositories, [metricRecord(aMetric(company, { period: '2026-09-30' }))]);
      const imported = await importAll(repositories, [
        metricRecord(aMetric(company, { period: '2026-09-30' })),
        metricRecord(aMetric(company, { period: '2026-10-31' })),
        sourceRecord(aSource(company)),
      ]);
      expect(imported).toMatchObject({ inserted: 2, updated: 0, unchanged: 1 });
    });
  });

  describe('a problem', () => {
    test('is each line about a company that nobody knows, in the order of the lines', async () => {
      const known = await addCompany(repositories);
      const unknown = aCompany();
      const { problems, ...counts } = await importAll(repositories, [
        metricRecord(aMetric(unknown)),
        metricRecord(aMetric(known)),
        sourceRecord(aSource(unknown)),
        accountRecord(anAccount(unknown)),
        sourceRecord(aSource(known)),
      ]);
      expect(problems.map(({ line }) => line)).toEqual([1, 3, 4]);
      for (const { reason } of problems) {
        expect(reason).toBe(`company_id: there is no company ${unknown.id}`);
      }
      expect(counts).toMatchObject({ inserted: 2, updated: 0, unchanged: 0 });
      expect(await repositories.companyData.sources(asOfNow(unknown.id))).toEqual([]);
    });

    test('is a company record of another environment than is known', async () => {
      const company = await addCompany(repositories, { environment: 'live' });
      const { problems, ...counts } = await importAll(repositories, [
        companyRecord({ ...company, environment: 'test', name: 'Another' }),
        metricRecord(aMetric(company)),
      ]);
      expect(problems.map(({ line }) => line)).toEqual([1]);
      expect(problems[0]?.reason).toBe(`environment: ${company.id} is of the live environment`);
      expect(counts).toMatchObject({ inserted: 1, updated: 0, unchanged: 0 });
      expect(await repositories.directory.findCompany(company.id)).toEqual(company);
    });

    test('is a company record of another environment than its first line says', async () => {
      const company = aCompany({ environment: 'test' });
      const { problems, ...counts } = await importAll(repositories, [
        companyRecord(company),
        companyRecord({ ...company, environment: 'live' }),
        companyRecord({ ...company, name: 'Renamed' }),
      ]);
      expect(problems.map(({ line }) => line)).toEqual([2]);
      expect(problems[0]?.reason).toBe(`environment: ${company.id} is of the test environment`);
      expect(counts).toMatchObject({ inserted: 1, updated: 0, unchanged: 0 });
      expect(await repositories.directory.findCompany(company.id)).toMatchObject({
        name: 'Renamed',
        environment: 'test',
      });
    });

    test('is told with its line, also when that says several things', async () => {
      const company = aCompany();
      const unknown = aCompany();
      const session = await repositories.imports.begin(freshId('imp'), at());
      await session.stage([{ line: 4, record: companyRecord(company) }]);
      await session.stage([
        { line: 9, record: metricRecord(aMetric(company, { rawValue: decimal('1') })) },
        { line: 9, record: metricRecord(aMetric(unknown)) },
        { line: 9, record: metricRecord(aMetric(company, { key: 'headcount' })) },
        { line: 9, record: metricRecord(aMetric(company, { rawValue: decimal('2') })) },
      ]);
      expect(await Array.fromAsync(session.findProblems())).toEqual([
        { line: 9, reason: `company_id: there is no company ${unknown.id}` },
      ]);
      expect(await session.apply()).toMatchObject({ inserted: 3, updated: 0, unchanged: 0 });
      await session.close();
      const found = await repositories.companyData.latestMetrics(asOfNow(company.id));
      expect(found.map(({ key, rawValue }) => [key, rawValue])).toContainEqual([
        'cash_balance',
        '2',
      ]);
    });

    test('is found among thousands, each once', async () => {
      const known = await addCompany(repositories);
      const unknown = aCompany();
      const session = await repositories.imports.begin(freshId('imp'), at());
      const total = 2500;
      for (let start = 1; start <= total; start += 500) {
        await session.stage(
          Array.from({ length: 500 }, (_, offset) => ({
            line: start + offset,
            record: sourceRecord(
              aSource(offset % 2 === 0 ? known : unknown, {
                accountName: `Account ${start + offset}`,
              }),
            ),
          })),
        );
      }
      const problems = await Array.fromAsync(session.findProblems());
      expect(problems.map(({ line }) => line)).toEqual(
        Array.from({ length: total / 2 }, (_, index) => 2 * index + 2),
      );
      expect(await session.apply()).toMatchObject({ inserted: 1250, updated: 0, unchanged: 0 });
      await session.close();
    });
  });
});
