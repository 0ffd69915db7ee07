import { expect, test } from 'vitest';
import {
  type Company,
  type CreateStaleEvents,
  createStaleEvents,
  isRequestEvent,
  type ReportedSource,
  type StaleCompany,
} from '#core';
import {
  addCompany,
  aSource,
  at,
  eventsAt,
  freshId,
  importAll,
  pushWithEvents,
  readFeed,
  sourceRecord,
} from './builders.ts';
import { contract } from './contract.ts';

const tellLapse: CreateStaleEvents = (lapse) =>
  createStaleEvents(lapse, () => freshId('evt'), at());

const hourly = 'PT1H';
const expectedAt = (minutes: number): Partial<ReportedSource> => ({
  lastSyncedAt: at((minutes - 60) * 60_000),
  expectedEvery: hourly,
  staleAt: at(minutes * 60_000),
});
const minute = (minutes: number) => at(minutes * 60_000);

export const staleSourcesContract = contract('stale sources', (repositories) => {
  const push = (
    company: Company,
    now: Date,
    overrides: Partial<ReportedSource>,
    provider = 'mercury',
  ) =>
    pushWithEvents(
      repositories,
      company,
      [sourceRecord(aSource(company, { provider, ...overrides }))],
      now,
    );

  const sweep = ({ id }: Company, now: Date) =>
    repositories.imports.writeStaleEvents(id, now, tellLapse);

  async function toldOf({ id }: Company) {
    const events = await readFeed(repositories, { reader: { companyId: id } });
    return events.flatMap((event) =>
      isRequestEvent(event) || event.type === 'company_data.updated' ? [] : [event],
    );
  }

  const typesOf = async (company: Company) => (await toldOf(company)).map(({ type }) => type);

  async function listed({ id }: Company, now: Date): Promise<StaleCompany[]> {
    const all: StaleCompany[] = [];
    let after: StaleCompany | null = null;
    do {
      const page: readonly StaleCompany[] = await repositories.imports.listUnreportedStale({
        now,
        after,
        limit: 3,
      });
      all.push(...page);
      after = page.at(-1) ?? null;
    } while (after !== null);
    return all.filter(({ companyId }) => companyId === id);
  }

  test('a source is reported once when it is stale, and the report changes the data version', async () => {
    const company = await addCompany(repositories);
    await push(company, at(), expectedAt(10));
    const before = await repositories.companyData.version(company.id);
    expect(await sweep(company, minute(9))).toBe(0);
    expect(await listed(company, minute(9))).toEqual([]);
    expect(await repositories.companyData.version(company.id)).toBe(before);
    expect(await listed(company, minute(10))).toEqual([
      { companyId: company.id, staleAt: minute(10) },
    ]);
    expect(await sweep(company, minute(10))).toBe(1);
    const dataVersion = await repositories.companyData.version(company.id);
    expect(dataVersion).not.toBe(before);
    const mercury = { provider: 'mercury', accountName: 'Operating account' };
    expect(await toldOf(company)).toMatchObject([
      {
        type: 'source.stale',
        companyId: company.id,
        data: { ...mercury, sources: [mercury], sourceCount: 1, dataVersion },
      },
    ]);
  });

  test('each stale source is reported once, even by several processes at the same time', async () => {
    const company = await addCompany(repositories);
    const providers = ['mercury', 'stripe', 'quickbooks'];
    for (const provider of providers) await push(company, at(), expectedAt(10), provider);
    await Promise.all(Array.from({ length: 8 }, () => sweep(company, minute(11))));
    expect(await sweep(company, minute(12))).toBe(0);
    expect(await listed(company, minute(12))).toEqual([]);
    const told = (await toldOf(company)).flatMap(({ data }) => data.sources);
    expect(told.map(({ provider }) => provider)).toEqual(providers.toSorted());
  });

  test('a stale source recovers if a new sync is in time, and is reported again when it is stale again', async () => {
    const company = await addCompany(repositories);
    await push(company, at(), expectedAt(10));
    await sweep(company, minute(11));
    // This sync is newer but still too old, so the source stays stale.
    await push(company, minute(30), expectedAt(20));
    expect(await sweep(company, minute(30))).toBe(0);
    expect(await typesOf(company)).toEqual(['source.stale']);
    await push(company, minute(30), expectedAt(90));
    expect(await typesOf(company)).toEqual(['source.stale', 'source.recovered']);
    await push(company, minute(40), expectedAt(100));
    expect(await sweep(company, minute(95))).toBe(0);
    expect(await sweep(company, minute(100))).toBe(1);
    expect(await typesOf(company)).toEqual(['source.stale', 'source.recovered', 'source.stale']);
  });

  test('a source that was synced late, but before the next sweep, is reported neither as stale nor as recovered', async () => {
    const company = await addCompany(repositories);
    await push(company, at(), expectedAt(10));
    await push(company, minute(20), expectedAt(80));
    expect(await sweep(company, minute(21))).toBe(0);
    expect(await toldOf(company)).toEqual([]);
  });

  test('a stale source recovers if its sync interval is removed', async () => {
    const company = await addCompany(repositories);
    await push(company, at(), expectedAt(10));
    await sweep(company, minute(11));
    await push(company, minute(12), {});
    expect(await sweep(company, minute(1_000))).toBe(0);
    expect(await typesOf(company)).toEqual(['source.stale', 'source.recovered']);
  });

  test('a failed and overdue source is reported as stale only after it no longer fails', async () => {
    const company = await addCompany(repositories);
    await push(company, at(), { ...expectedAt(10), status: 'failed' });
    expect(await sweep(company, minute(11))).toBe(0);
    expect(await listed(company, minute(11))).toEqual([]);
    await push(company, minute(12), expectedAt(10));
    expect(await sweep(company, minute(12))).toBe(1);
    await push(company, minute(13), { ...expectedAt(10), status: 'failed' });
    await push(company, minute(14), expectedAt(80));
    expect(await typesOf(company)).toEqual([
      'source.failed',
      'source.recovered',
      'source.stale',
      'source.failed',
      'source.recovered',
    ]);
  });

  test('an import also reports the stale sources that recover with it', async () => {
    const company = await addCompany(repositories);
    await push(company, at(), expectedAt(10));
    await sweep(company, minute(11));
    await importAll(repositories, [sourceRecord(aSource(company, expectedAt(80)))], minute(12), {
      createEvents: eventsAt(minute(12)),
    });
    expect(await typesOf(company)).toEqual(['source.stale', 'source.recovered']);
  });

  test('a stale source is found again if the transaction of its report was rolled back', async () => {
    const company = await addCompany(repositories);
    await push(company, at(), expectedAt(10));
    const failing = repositories.imports.writeStaleEvents(company.id, minute(11), () => {
      throw new Error('no words');
    });
    await expect(failing).rejects.toThrow('no words');
    expect(await sweep(company, minute(12))).toBe(1);
    expect(await typesOf(company)).toEqual(['source.stale']);
  });
});
