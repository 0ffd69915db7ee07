import { beforeAll, expect, test } from 'vitest';
import { type Company, createStaleEvents, type ImportRecord } from '#core';
import {
  accountRecord,
  addCompany,
  addInvestor,
  aMetric,
  anAccount,
  anEntry,
  aSource,
  at,
  companyRecord,
  decimal,
  freshId,
  importAll,
  metricRecord,
  pushWithEvents,
  revisionRecord,
  sourceRecord,
} from '../contracts/builders.ts';
import { describeOnPostgres, useDatabase, withClient } from '../support/databases.ts';
import { createTestSigner } from '../support/test-signer.ts';

type Act = (company: Company) => Promise<unknown>;

await describeOnPostgres('the version of a company’s data', (createDatabase) => {
  const database = useDatabase(createDatabase);
  const query = (text: string) => withClient(database.url, (client) => client.query(text));
  const versionOf = ({ id }: Company) => database.repositories.companyData.version(id);

  const hourly = { expectedEvery: 'PT1H', staleAt: at(3_600_000) };
  const arr = (company: Company, overrides = {}) => aMetric(company, { key: 'arr', ...overrides });
  const first = (company: Company): ImportRecord[] => [
    metricRecord(arr(company)),
    sourceRecord(aSource(company, hourly)),
    accountRecord(anAccount(company, { id: `acc_${company.id}` })),
  ];

  async function aFilledCompany(): Promise<Company> {
    const company = await addCompany(database.repositories);
    await importAll(database.repositories, first(company));
    return company;
  }

  const changes: Record<string, (company: Company) => ImportRecord> = {
    'a value': (company) => metricRecord(arr(company, { rawValue: decimal('7') })),
    'a value of another period': (company) => metricRecord(arr(company, { period: '2026-09-30' })),
    'a label': (company) => metricRecord(arr(company, { label: 'Recurring revenue' })),
    'a metric': (company) => metricRecord(aMetric(company, { key: 'headcount' })),
    'a revision': (company) =>
      revisionRecord(arr(company, { rawValue: decimal('8'), revision: 2 }), 2),
    'the state of a source': (company) =>
      sourceRecord(aSource(company, { ...hourly, status: 'failed' })),
    'a source': (company) => sourceRecord(aSource(company, { provider: 'stripe' })),
    'a balance': (company) =>
      accountRecord(anAccount(company, { id: `acc_${company.id}`, rawBalance: decimal('1') })),
    'an account': (company) => accountRecord(anAccount(company)),
  };

  const lapse: Act = ({ id }) =>
    database.repositories.imports.writeStaleEvents(id, at(7_200_000), (change) =>
      createStaleEvents(change, () => freshId('evt'), at(7_200_000)),
    );

  const signLate: Act = async (company) => {
    const { metricSignatures } = database.repositories;
    const signer = await createTestSigner(database.repositories);
    const unsigned = (await Array.fromAsync(metricSignatures.listUnsigned()))
      .flat()
      .filter(({ claims }) => claims.companyId === company.id);
    await metricSignatures.storeSignatures(
      unsigned.map(({ id, claims }) => ({ id, ...signer.sign(claims) })),
    );
  };

  test.each([
    ...Object.entries(changes).flatMap(([what, recordOf]): [string, Act][] => [
      [`an import of ${what}`, (company) => importAll(database.repositories, [recordOf(company)])],
      [
        `a push of ${what}`,
        (company) => pushWithEvents(database.repositories, company, [recordOf(company)]),
      ],
    ]),
    ['a source that becomes stale', lapse],
    ['a signature that is added later', signLate],
  ])('changes because of %s', async (_what, act) => {
    const company = await aFilledCompany();
    const other = await aFilledCompany();
    const before = [await versionOf(company), await versionOf(other)];
    await act(company);
    expect(await versionOf(company)).not.toBe(before[0]);
    expect(await versionOf(other)).toBe(before[1]);
  });

  test('changes if a replaced value is signed', async () => {
    const company = await aFilledCompany();
    await importAll(database.repositories, [
      metricRecord(arr(company, { rawValue: decimal('7') })),
    ]);
    await signLate(company);
    await query(`update metric_point set value = 'x', revision = revision + 1, signed_at = null,
      signature = null, signing_key = null where revision = 2`);
    const before = await versionOf(company);
    await signLate(company);
    expect(await versionOf(company)).not.toBe(before);
  });

  test('changes for each company in an import, including companies that the import creates', async () => {
    const companies = [await aFilledCompany(), await aFilledCompany()];
    const added = { ...(companies[0] as Company), id: freshId('co') };
    const before = await Promise.all([...companies, added].map(versionOf));
    await importAll(database.repositories, [
      companyRecord(added),
      ...[...companies, added].map((company) =>
        metricRecord(arr(company, { rawValue: decimal('9') })),
      ),
    ]);
    const after = await Promise.all([...companies, added].map(versionOf));
    expect(after.filter((version) => before.includes(version))).toEqual([]);
  });

  test.each<[string, Act]>([
    [
      'an import of the same records',
      (company) => importAll(database.repositories, first(company)),
    ],
    [
      'a push of the same records',
      (company) => pushWithEvents(database.repositories, company, first(company)),
    ],
    [
      'a new name of the company',
      (company) => importAll(database.repositories, [companyRecord({ ...company, name: 'Other' })]),
    ],
    [
      'the addition of the company to a portfolio',
      async (company) => {
        const investor = await addInvestor(database.repositories);
        await database.repositories.directory.addToPortfolio(investor, company, at(), anEntry());
      },
    ],
  ])('stays the same despite %s', async (_what, act) => {
    const company = await aFilledCompany();
    const before = await versionOf(company);
    await act(company);
    expect(await versionOf(company)).toBe(before);
  });

  let company: Company;
  let round = 0;
  beforeAll(async () => {
    company = await aFilledCompany();
  });
  const change = () => {
    round += 1;
    const rawValue = decimal(String(round));
    return importAll(database.repositories, [metricRecord(arr(company, { rawValue }))]);
  };
  const seen: string[] = [];
  const isNew = async () => {
    const version = await versionOf(company);
    expect(seen).not.toContain(version);
    seen.push(version);
  };

  test('is never reused, even if the database is restored to an earlier state', async () => {
    const earlier = await versionOf(company);
    await change();
    await isNew();
    await query(
      `update company_data_version set version = ${earlier} where company_id = '${company.id}'`,
    );
    await change();
    await isNew();
  });

  test('increases by one if the database’s clock is behind the current version', async () => {
    const ahead = 2n ** 60n;
    await query(
      `update company_data_version set version = ${ahead} where company_id = '${company.id}'`,
    );
    await change();
    expect(await versionOf(company)).toBe(`${ahead + 1n}`);
  });
});
