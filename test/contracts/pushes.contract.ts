import { expect, test } from 'vitest';
import type {
  Company,
  CreateChangeEvents,
  DataChange,
  ImportRecord,
  PushTransaction,
  StoredPush,
} from '#core';
import { asOfNow } from '../support/call.ts';
import {
  accountRecord,
  addCompany,
  aMetric,
  anAccount,
  aSource,
  at,
  day,
  decimal,
  digestOf,
  freshId,
  importAll,
  linesOf,
  metricRecord,
  revisionRecord,
  sourceRecord,
} from './builders.ts';
import { contract } from './contract.ts';

export const pushesContract = contract('a push', (repositories) => {
  const transact = <T>({ id }: Company, work: (transaction: PushTransaction) => Promise<T>) =>
    repositories.imports.transact({ credential: null, companyId: id, startedAt: at() }, work);
  const push = (company: Company, records: readonly ImportRecord[]) =>
    transact(company, (transaction) => transaction.apply(linesOf(records)));
  const historyOf = ({ id }: Company) =>
    repositories.companyData.metricHistory(asOfNow(id), 'cash_balance');

  const everything = (company: Company) => [
    metricRecord(aMetric(company)),
    sourceRecord(aSource(company)),
    accountRecord(anAccount(company)),
  ];

  test('has the same effect as an import, so the same data is unchanged in the other one', async () => {
    const company = await addCompany(repositories);
    const records = everything(company);
    expect(await push(company, records)).toMatchObject({
      inserted: 3,
      updated: 0,
      unchanged: 0,
    });
    expect(await importAll(repositories, records)).toMatchObject({ unchanged: 3 });
    const changed = metricRecord(aMetric(company, { rawValue: decimal('7') }));
    await importAll(repositories, [changed]);
    expect(await push(company, [changed])).toMatchObject({ unchanged: 1 });
    expect(await push(company, records)).toMatchObject({ updated: 1, unchanged: 2 });
    expect(await historyOf(company)).toMatchObject([{ revision: 3 }]);
    expect(await repositories.companyData.sources(asOfNow(company.id))).toHaveLength(1);
    expect(await repositories.companyData.accounts(asOfNow(company.id))).toHaveLength(1);
  });

  test('can contain more records than fit into a single statement', async () => {
    const company = await addCompany(repositories);
    const first = Date.UTC(2020, 0, 1);
    const periodOf = (index: number) => new Date(first + index * day).toISOString().slice(0, 10);
    const count = 1_500;
    const values = Array.from({ length: count }, (_, index) =>
      metricRecord(aMetric(company, { period: periodOf(index), rawValue: decimal(`${index}`) })),
    );
    const others = [sourceRecord(aSource(company)), accountRecord(anAccount(company))];
    expect(await push(company, [...others, ...values])).toMatchObject({
      inserted: count + 2,
      updated: 0,
      unchanged: 0,
    });
    const history = await historyOf(company);
    expect(history.map(({ period, rawValue }) => [period, rawValue])).toEqual(
      values.map((_, index) => [periodOf(index), `${index}`]),
    );
    expect(await push(company, [...others, ...values])).toMatchObject({
      inserted: 0,
      updated: 0,
      unchanged: count + 2,
    });
  });

  test('counts a new label of a metric as one update, and sets it for all values of the metric', async () => {
    const company = await addCompany(repositories);
    const values = (label: string) =>
      ['2026-09-30', '2026-10-31'].map((period) =>
        metricRecord(aMetric(company, { period, label })),
      );
    await push(company, values('Cash'));
    expect(await push(company, values('Cash at bank'))).toMatchObject({
      inserted: 0,
      updated: 1,
      unchanged: 1,
    });
    expect(await historyOf(company)).toMatchObject([
      { label: 'Cash at bank' },
      { label: 'Cash at bank' },
    ]);
  });

  test('reports the company’s number of items afterwards, and is rolled back if the caller refuses this number', async () => {
    const company = await addCompany(repositories);
    const reported: Pick<DataChange, 'added' | 'totals'>[] = [];
    const apply = (records: readonly ImportRecord[], createEvents: CreateChangeEvents) =>
      transact(company, async (transaction) => {
        await transaction.apply(linesOf(records), { createEvents });
      });
    const note: CreateChangeEvents = (change) => {
      const { added, totals } = change;
      reported.push({ added, totals });
      return [];
    };
    const account = anAccount(company);
    await apply([...everything(company).slice(0, 2), accountRecord(account)], note);
    const more = [
      metricRecord(aMetric(company, { key: 'arr' })),
      sourceRecord(aSource(company, { provider: 'stripe' })),
    ];
    const refused = apply(more, (change) => {
      note(change);
      throw new Error('too much');
    });
    await expect(refused).rejects.toThrow('too much');
    await apply([metricRecord(aMetric(company, { rawValue: decimal('7') }))], note);
    const nothing = { metrics: [], sources: [], accounts: [] };
    expect(reported).toEqual([
      {
        added: {
          metrics: ['cash_balance'],
          sources: ['["mercury","Operating account"]'],
          accounts: [account.id],
        },
        totals: { metrics: 1, sources: 1, accounts: 1 },
      },
      {
        added: { ...nothing, metrics: ['arr'], sources: ['["stripe","Operating account"]'] },
        totals: { metrics: 2, sources: 2, accounts: 0 },
      },
      { added: nothing, totals: { metrics: 0, sources: 0, accounts: 0 } },
    ]);
  });

  test('changes nothing if it is rolled back', async () => {
    const company = await addCompany(repositories);
    await push(company, everything(company));
    const version = await repositories.companyData.version(company.id);
    const given = transact(company, async (transaction) => {
      const changed = metricRecord(aMetric(company, { rawValue: decimal('7') }));
      await transaction.apply(linesOf([changed]));
      await transaction.storePush(aKept(company, 'given up'));
      expect(await transaction.readVersion()).not.toBe(version);
      throw new Error('given up');
    });
    await expect(given).rejects.toThrow('given up');
    expect(await historyOf(company)).toMatchObject([{ revision: 1 }]);
    expect(await repositories.companyData.version(company.id)).toBe(version);
    const kept = await transact(company, (transaction) =>
      transaction.findStoredPush('given up', at()),
    );
    expect(kept).toBeNull();
  });

  test('returns the version of the data that a read gets after the push', async () => {
    const company = await addCompany(repositories);
    const reported = await transact(company, async (transaction) => {
      const before = await transaction.readVersion();
      await transaction.apply(linesOf(everything(company)));
      return [before, await transaction.readVersion()];
    });
    expect(reported).toEqual(['0', await repositories.companyData.version(company.id)]);
    expect(reported[1]).not.toBe('0');
  });

  test('finds the records from other sources, which a key bound to one source can’t change', async () => {
    const company = await addCompany(repositories);
    const other = await addCompany(repositories);
    const metricOf = (system: string, key: string, period: string) => {
      const { source, ...metric } = aMetric(company, { key, period });
      return { ...metric, source: { ...source, system } };
    };
    const of = (...value: Parameters<typeof metricOf>) => metricRecord(metricOf(...value));
    const account = (owner: Company, provider: string, id: string) =>
      accountRecord(anAccount(owner, { provider, id }));
    await push(company, [
      of('Ledger', 'own', '2026-09-30'),
      of('Xero', 'theirs', '2026-09-30'),
      of('Xero', 'moved', '2026-08-31'),
      of('Ledger', 'moved', '2026-09-30'),
      account(company, 'Xero', 'acc_theirs'),
      account(company, 'Ledger', 'acc_own'),
    ]);
    await push(other, [account(other, 'Xero', 'acc_new')]);
    const records = [
      of('Ledger', 'own', '2026-09-30'),
      of('Ledger', 'own', '2026-10-31'),
      of('Ledger', 'new', '2026-10-31'),
      of('Ledger', 'moved', '2026-09-30'),
      account(company, 'Ledger', 'acc_own'),
      account(company, 'Ledger', 'acc_new'),
      sourceRecord(aSource(company, { provider: 'Ledger' })),
      of('Ledger', 'theirs', '2026-09-30'),
      of('Ledger', 'theirs', '2026-10-31'),
      of('Ledger', 'moved', '2026-08-31'),
      account(company, 'Ledger', 'acc_theirs'),
      revisionRecord(metricOf('Ledger', 'theirs', '2026-10-31')),
    ];
    const found = (boundTo: string) =>
      transact(company, (transaction) => transaction.findForeign(linesOf(records), boundTo));
    const why = 'comes from another source, so a key that is bound to Ledger cannot change it';
    const by = (what: string) => `source.system: ${what} ${why}`;
    expect(await found('Ledger')).toEqual([
      { line: 7, reason: by('theirs') },
      { line: 8, reason: by('theirs') },
      { line: 9, reason: by('the value of this period') },
      { line: 10, reason: `provider: the account acc_theirs ${why}` },
      { line: 11, reason: by('theirs') },
    ]);
  });

  test('waits for the previous push of the same company, whatever data the two change', async () => {
    const company = await addCompany(repositories);
    const values = Array.from({ length: 8 }, (_, index) => decimal(String(index)));
    await Promise.all(
      values.map((rawValue) => push(company, [metricRecord(aMetric(company, { rawValue }))])),
    );
    expect(await historyOf(company)).toMatchObject([{ revision: values.length }]);
  });

  function aKept({ id }: Company, key: string, expiresAt = at(1_000)): StoredPush {
    const result = { created: 1, revised: 2, unchanged: 3, dataVersion: '4' };
    return { key, fingerprint: digestOf(id), pushedAt: at(), expiresAt, result };
  }

  test('stores its result under the company’s idempotency key until the key is deleted', async () => {
    const company = await addCompany(repositories);
    const other = await addCompany(repositories);
    const key = freshId('key');
    const kept = aKept(company, key);
    await transact(company, (transaction) => transaction.storePush(kept));
    const find = (of: Company, now: Date) =>
      transact(of, (transaction) => transaction.findStoredPush(key, now));
    expect(await find(company, at(999))).toEqual(kept);
    expect(await find(company, at(1_000))).toBeNull();
    expect(await find(other, at())).toBeNull();
    const next = aKept(company, key, at(5_000));
    await transact(company, (transaction) => transaction.storePush(next));
    await repositories.imports.deleteExpiredPushes(at(1_000));
    expect(await find(company, at())).toEqual(next);
    await repositories.imports.deleteExpiredPushes(at(5_000));
    expect(await find(company, at())).toBeNull();
    await transact(company, (transaction) => transaction.storePush(next));
    await repositories.imports.deletePushes([{ companyId: other.id, key }]);
    expect(await find(company, at())).toEqual(next);
    await repositories.imports.deletePushes([{ companyId: company.id, key }]);
    expect(await find(company, at())).toBeNull();
  });
});
