import { expect, test } from 'vitest';
import { createAccessEvent, operator, type StoredRecord } from '#core';
import {
  aCompany,
  accountRecord,
  addPair,
  addRequests,
  aMetric,
  anAccessRequest,
  anAccount,
  aSource,
  at,
  companyRecord,
  decimal,
  freshId,
  importAll,
  metricRecord,
  sourceRecord,
} from './builders.ts';
import { contract } from './contract.ts';

export const exportsContract = contract('exports', (repositories) => {
  async function read(companyId: string) {
    const records: StoredRecord[] = [];
    const sizes: number[] = [];
    const isKnown = await repositories.exports.read(
      { companyId, publicKeyUrl: 'https://keys.example' },
      async (batch) => {
        sizes.push(batch.length);
        records.push(...batch);
      },
    );
    return { isKnown, records, sizes };
  }

  test('an export of an unknown company is empty', async () => {
    expect(await read(freshId('co'))).toEqual({ isKnown: false, records: [], sizes: [] });
  });

  test('an export contains all data of the company and no data of another company', async () => {
    const [company, other] = [aCompany(), aCompany()];
    const september = aMetric(company, { period: '2026-09-30' });
    const first = aMetric(company, { rawValue: decimal('1') });
    const second = aMetric(company, { rawValue: decimal('2'), revision: 2 });
    const burn = aMetric(company, { key: 'burn', rawValue: decimal('-0.000000000001') });
    const account = anAccount(company);
    const source = aSource(company, { expectedEvery: 'P1D', staleAt: at(86_400_750) });
    await importAll(repositories, [
      companyRecord(company),
      companyRecord(other),
      metricRecord(first),
      metricRecord(september),
      metricRecord(burn),
      accountRecord(account),
      sourceRecord(source),
      ...[aMetric(other), aMetric(other, { key: 'burn' })].map(metricRecord),
      sourceRecord(aSource(other)),
      accountRecord(anAccount(other)),
    ]);
    await importAll(repositories, [metricRecord(second)]);
    const { records } = await read(company.id);
    expect(records).toEqual([
      { type: 'company', company },
      { type: 'source', source },
      { type: 'account', account },
      { type: 'metric', metric: burn },
      { type: 'metric', metric: september },
      { type: 'metric', metric: first },
      { type: 'metric', metric: second },
    ]);
  });

  test('receipts are exported by access request, oldest first within each request', async () => {
    const pairs = [await addPair(repositories), await addPair(repositories)] as const;
    const [{ company, investor }] = pairs;
    const requests = [
      anAccessRequest(pairs[0], { status: 'declined' }),
      anAccessRequest({ company, investor }, { status: 'declined' }),
      anAccessRequest(pairs[1]),
    ];
    await addRequests(repositories, ...requests);
    const events = [0, 1, 2, 1, 0].map((index, position) => {
      const request = requests[index] ?? anAccessRequest(pairs[0]);
      return createAccessEvent(freshId('evt'), request, operator, at(position), null);
    });
    for (const event of events) {
      await repositories.accessRequests.transact(null, (transaction) =>
        transaction.addEvent(event, null),
      );
    }
    const { records } = await read(company.id);
    const told = records.flatMap((record) =>
      record.type === 'receipt' ? [record.receipt.event.id] : [],
    );
    expect(told).toEqual([0, 4, 1, 3].map((index) => events[index]?.id));
  });

  test('a long metric history is exported in several parts, completely and in order', async () => {
    const company = aCompany();
    const days = Array.from({ length: 1500 }, (_, day) =>
      new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10),
    );
    const values = (amount: string, periods: readonly string[]) =>
      periods.map((period) =>
        metricRecord(aMetric(company, { period, rawValue: decimal(amount) })),
      );
    await importAll(repositories, [companyRecord(company), ...values('1', days)]);
    await importAll(repositories, values('2', days.slice(200)));
    await importAll(repositories, values('3', days.slice(990, 1010)));
    const { records, sizes } = await read(company.id);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    const expected = days.flatMap((period, day) => {
      const revisions = day < 200 ? 1 : day >= 990 && day < 1010 ? 3 : 2;
      return Array.from({ length: revisions }, (_, index) => `${period} ${index + 1}`);
    });
    const told = records.flatMap((record) =>
      record.type === 'metric' ? [`${record.metric.period} ${record.metric.rawValue}`] : [],
    );
    expect(told).toEqual(expected);
  });
});
