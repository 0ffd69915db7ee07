import { expect, test } from 'vitest';
import type { AccessRecord, Investor, ReadsQuestion } from '#core';
import {
  addCompany,
  addInvestor,
  addRequests,
  anAccessRecord,
  anAccessRequest,
  approved,
  at,
  day,
  freshId,
} from './builders.ts';
import { contract } from './contract.ts';

export const accessStatisticsContract = contract('access statistics', (repositories) => {
  /** Adds reads of a company by an investor, one day apart. They are allowed by default. */
  async function addReads(
    companyId: string,
    investor: Pick<Investor, 'id'>,
    ...reads: readonly Partial<AccessRecord>[]
  ): Promise<void> {
    for (const [index, read] of reads.entries()) {
      const party = { companyId, investorId: investor.id };
      const record = anAccessRecord({ occurredAt: at(index * day), ...party, ...read });
      await repositories.accessRecords.record(record);
    }
  }

  const refused = { outcome: 'access_required', grantId: null } as const;

  const count = (companyId: string, question: Partial<ReadsQuestion> = {}) =>
    repositories.accessStatistics.countReads({
      companyId,
      environment: 'live',
      firstDay: '2026-11-01',
      lastDay: '2026-11-30',
      most: 10,
      ...question,
    });

  /** The store may return rows in any order. */
  const inAnyOrder = (rows: readonly unknown[]) => new Set(rows);

  test('reads are counted by day and investor, and by day and metric', async () => {
    const { id: companyId } = await addCompany(repositories);
    const harbor = await addInvestor(repositories, { name: 'Harbor Fund' });
    const quiet = await addInvestor(repositories, { name: 'Quiet Fund' });
    await addReads(companyId, harbor, {}, refused, { metricKey: 'cash', resource: 'metric' });
    await addReads(companyId, harbor, {}, { metricKey: 'cash', resource: 'metric' });
    await addReads(companyId, quiet, refused);
    const { byInvestor, byMetric } = await count(companyId);
    const [first, second, third] = ['2026-11-01', '2026-11-02', '2026-11-03'];
    const ofHarbor = { investor: { id: harbor.id, name: 'Harbor Fund' } };
    expect(inAnyOrder(byInvestor)).toEqual(
      inAnyOrder([
        { ...ofHarbor, day: first, allowed: 2, refused: 0 },
        { ...ofHarbor, day: second, allowed: 1, refused: 1 },
        { ...ofHarbor, day: third, allowed: 1, refused: 0 },
        { investor: { id: quiet.id, name: 'Quiet Fund' }, day: first, allowed: 0, refused: 1 },
      ]),
    );
    expect(inAnyOrder(byMetric)).toEqual(
      inAnyOrder([
        { metric: { key: null }, day: first, allowed: 2, refused: 1 },
        { metric: { key: null }, day: second, allowed: 0, refused: 1 },
        { metric: { key: 'cash' }, day: second, allowed: 1, refused: 0 },
        { metric: { key: 'cash' }, day: third, allowed: 1, refused: 0 },
      ]),
    );
  });

  test('reads are counted by days in UTC, including the first and the last day of the range', async () => {
    const { id: companyId } = await addCompany(repositories);
    const investor = await addInvestor(repositories);
    const instants = [
      '10-31T23:59:59.999',
      '11-01T00:00:00.000',
      '11-02T23:59:59.999',
      '11-03T00:00:00.000',
    ];
    for (const instant of instants) {
      await addReads(companyId, investor, { occurredAt: new Date(`2026-${instant}Z`) });
    }
    const { byInvestor } = await count(companyId, { lastDay: '2026-11-02' });
    expect(byInvestor.map((row) => row.day).toSorted()).toEqual(['2026-11-01', '2026-11-02']);
    expect((await count(companyId, { firstDay: '2026-11-04' })).byInvestor).toEqual([]);
  });

  test('an access record of several equal refusals counts once for each of them', async () => {
    const { id: companyId } = await addCompany(repositories);
    const investor = await addInvestor(repositories);
    const { accessRecords } = repositories;
    const record = anAccessRecord({ ...refused, companyId, investorId: investor.id });
    for (const id of [record.id, freshId('rec'), freshId('rec')]) {
      accessRecords.recordEventually({ ...record, id });
    }
    const countsNow = async () =>
      (await count(companyId)).byInvestor.map(({ allowed, refused }) => [allowed, refused]);
    await expect.poll(countsNow).toEqual([[0, 3]]);
  });

  test('reads are counted for one company in one environment, and optionally for one investor or scope', async () => {
    const [{ id: companyId }, other] = [
      await addCompany(repositories),
      await addCompany(repositories),
    ];
    const investors = [await addInvestor(repositories), await addInvestor(repositories)] as const;
    const foreign = await addInvestor(repositories, { environment: 'test' });
    await addReads(companyId, investors[0], {}, { scope: 'sources:read', resource: 'sources' });
    await addReads(companyId, investors[1], {});
    await addReads(companyId, foreign, refused);
    await addReads(other.id, investors[0], {}, {}, {});
    const total = async (question: Partial<ReadsQuestion> = {}) => {
      const { byInvestor, byMetric } = await count(companyId, question);
      return [byInvestor, byMetric].map((rows) =>
        rows.reduce((sum, row) => sum + row.allowed + row.refused, 0),
      );
    };
    expect(await total()).toEqual([3, 3]);
    expect(await total({ investorId: investors[0].id })).toEqual([2, 2]);
    expect(await total({ scope: 'sources:read' })).toEqual([1, 1]);
    expect(await total({ environment: 'test' })).toEqual([1, 1]);
    expect(await total({ investorId: foreign.id })).toEqual([0, 0]);
  });

  test('the investors or metrics with the fewest reads are combined into one row beyond the limit', async () => {
    const { id: companyId } = await addCompany(repositories);
    const investors = [];
    for (let index = 0; index < 4; index += 1) investors.push(await addInvestor(repositories));
    // The second investor reads most. The others read equally often, so the lowest id comes next.
    for (const investor of [...investors, investors[1]]) {
      const key = `metric_${investors.indexOf(investor as Investor)}`;
      await addReads(companyId, investor as Investor, { metricKey: key, resource: 'metric' });
    }
    const { byInvestor, byMetric } = await count(companyId, { most: 2 });
    const reads = { day: '2026-11-01', refused: 0 };
    expect(
      inAnyOrder(byInvestor.map(({ investor, ...row }) => ({ id: investor?.id, ...row }))),
    ).toEqual(
      inAnyOrder([
        { id: investors[1]?.id, ...reads, allowed: 2 },
        { id: investors[0]?.id, ...reads, allowed: 1 },
        { id: undefined, ...reads, allowed: 2 },
      ]),
    );
    expect(inAnyOrder(byMetric)).toEqual(
      inAnyOrder([
        { metric: { key: 'metric_1' }, ...reads, allowed: 2 },
        { metric: { key: 'metric_0' }, ...reads, allowed: 1 },
        { metric: null, ...reads, allowed: 2 },
      ]),
    );
  });

  test('the usage of a company’s grants contains the number of reads and the time of the last read', async () => {
    const [company, other] = [await addCompany(repositories), await addCompany(repositories)];
    const ask = async (asked = company) => {
      const investor = await addInvestor(repositories);
      const request = approved(anAccessRequest({ investor, company: asked }));
      await addRequests(repositories, request);
      return request;
    };
    const [used, unused, foreign] = [await ask(), await ask(), await ask(other)];
    for (const { id: grantId, investorId, companyId } of [used, foreign]) {
      await addReads(companyId, { id: investorId }, { grantId }, { grantId }, refused);
    }
    const usage = await repositories.accessStatistics.readUsage(company.id, [
      used.id,
      unused.id,
      foreign.id,
      freshId('ar'),
    ]);
    expect(inAnyOrder(usage)).toEqual(
      inAnyOrder([
        { accessRequestId: used.id, reads: 2, lastReadAt: at(day) },
        { accessRequestId: unused.id, reads: 0, lastReadAt: null },
      ]),
    );
  });

  test('an investor’s reads are counted by reader and outcome, and the recent reads are also counted separately', async () => {
    const [investor, other] = [await addInvestor(repositories), await addInvestor(repositories)];
    const { id: companyId } = await addCompany(repositories);
    const keyId = freshId('key');
    const contactId = freshId('ct');
    const person = { keyId: null, contactId, protocol: 'desk' } as const;
    await addReads(companyId, investor, { keyId }, { keyId }, { ...refused, keyId });
    await addReads(companyId, investor, { ...person, occurredAt: at(2 * day) });
    await addReads(companyId, investor, { keyId, occurredAt: at(-1) });
    await addReads(companyId, investor, { keyId, scope: 'sources:read', resource: 'sources' });
    await addReads(companyId, other, {});
    const { uses, isCut } = await repositories.accessStatistics.countUses({
      ...{ investorId: investor.id, scopes: ['metrics:read'], limit: 100 },
      ...{ since: at(), recentSince: at(day) },
    });
    expect(inAnyOrder(uses)).toEqual(
      inAnyOrder([
        { keyId, contactId: null, outcome: 'allowed', count: 2, recentCount: 1 },
        { keyId, contactId: null, outcome: 'access_required', count: 1, recentCount: 1 },
        { keyId: null, contactId, outcome: 'allowed', count: 1, recentCount: 1 },
      ]),
    );
    expect(isCut).toBe(false);
  });

  test('an investor’s newest reads per scope are counted up to a limit, and a flag shows that there are more', async () => {
    const investor = await addInvestor(repositories);
    const { id: companyId } = await addCompany(repositories);
    const [early, late] = [freshId('key'), freshId('key')];
    const sources = { scope: 'sources:read', resource: 'sources', keyId: early } as const;
    await addReads(companyId, investor, { keyId: early }, { keyId: late }, { keyId: late });
    await addReads(companyId, investor, sources);
    const { uses, isCut } = await repositories.accessStatistics.countUses({
      ...{ investorId: investor.id, scopes: ['metrics:read', 'sources:read'], limit: 2 },
      ...{ since: at(), recentSince: at(7 * day) },
    });
    expect(
      inAnyOrder(uses.map(({ keyId, count, recentCount }) => [keyId, count, recentCount])),
    ).toEqual(
      inAnyOrder([
        [early, 1, 0],
        [late, 2, 0],
      ]),
    );
    expect(isCut).toBe(true);
  });
});
