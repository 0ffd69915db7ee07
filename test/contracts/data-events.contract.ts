import { expect, test } from 'vitest';
import {
  type AccessRequest,
  type Company,
  companyOf,
  createAccessEvent,
  type DataEvent,
  type FeedQuery,
  type GrantableScope,
  grantableScopes,
  type ImportRecord,
  isRequestEvent,
  isWanted,
  operator,
} from '#core';
import {
  accountRecord,
  addCompany,
  addInvestor,
  addPair,
  addRequests,
  aMetric,
  anAccessRequest,
  anAccount,
  anEndpoint,
  anEntry,
  approved,
  aSource,
  at,
  day,
  decimal,
  eventsAt,
  freshId,
  importAll,
  linesOf,
  metricRecord,
  pushWithEvents,
  readFeed,
  revisionRecord,
  sourceRecord,
} from './builders.ts';
import { contract } from './contract.ts';

const told = (event: DataEvent) => [event.type, event.data];

export const dataEventsContract = contract('data events', (repositories) => {
  const push = (company: Company, ...records: ImportRecord[]) =>
    pushWithEvents(repositories, company, records);
  const importTold = (...records: ImportRecord[]) =>
    importAll(repositories, records, at(), { createEvents: eventsAt() });
  const read = (query: Partial<FeedQuery>) => readFeed(repositories, query);

  async function eventsOf({ id }: Company): Promise<DataEvent[]> {
    const events = await read({ reader: { companyId: id } });
    return events.filter((event) => !isRequestEvent(event));
  }

  const versionOf = ({ id }: Company) => repositories.companyData.version(id);

  test('a push writes one event for all its changes, with the data version after the push', async () => {
    const company = await addCompany(repositories);
    const records = [
      metricRecord(aMetric(company, { key: 'headcount' })),
      metricRecord(aMetric(company, { key: 'arr' })),
      sourceRecord(aSource(company)),
      accountRecord(anAccount(company)),
    ];
    await push(company, ...records);
    const events = await eventsOf(company);
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: 'company_data.updated',
        createdAt: at(),
        companyId: company.id,
        data: {
          metricKeys: ['arr', 'headcount'],
          latestPeriods: { arr: aMetric(company).period, headcount: aMetric(company).period },
          hasSources: true,
          hasAccounts: true,
          dataVersion: await versionOf(company),
        },
        position: expect.stringMatching(/^[1-9]\d*$/),
        companyName: company.name,
      },
    ]);
    const [event] = events;
    expect(await repositories.accessEvents.find(event?.id ?? '')).toEqual(event);
  });

  test('an event contains the latest changed period and the corrected periods of each metric', async () => {
    const company = await addCompany(repositories);
    const value = (key: string, period: string, text: string) =>
      metricRecord(aMetric(company, { key, period, rawValue: decimal(text) }));
    await push(company, value('arr', '2026-01-31', '1'), value('arr', '2026-02-28', '1'));
    await push(
      company,
      value('arr', '2026-01-31', '2'),
      value('arr', '2026-02-28', '2'),
      value('arr', '2026-03-31', '2'),
      value('headcount', '2026-01-31', '2'),
    );
    expect((await eventsOf(company)).map(told)).toMatchObject([
      ['company_data.updated', { latestPeriods: { arr: '2026-02-28' } }],
      [
        'company_data.updated',
        {
          latestPeriods: { arr: '2026-03-31', headcount: '2026-01-31' },
          corrections: { arr: ['2026-01-31', '2026-02-28'] },
        },
      ],
    ]);
    expect((await eventsOf(company))[0]?.data).not.toHaveProperty('corrections');
  });

  test('events before a given time are deleted in batches, oldest first, and their positions stay unused', async () => {
    const company = await addCompany(repositories);
    const longAgo = (days: number) => at((days - 2000) * day);
    const pushAt = (instant: Date, text: string) => {
      const record = metricRecord(aMetric(company, { rawValue: decimal(text) }));
      return pushWithEvents(repositories, company, [record], instant);
    };
    for (const [text, days] of Object.entries({ 1: 1, 2: 3, 3: 2, 4: 4 })) {
      await pushAt(longAgo(days), text);
    }
    const [first, second, third, last] = await eventsOf(company);
    const forget = (limit: number) => repositories.accessEvents.deleteOldData(longAgo(4), limit);
    expect(await forget(2)).toBe(2);
    expect(await eventsOf(company)).toEqual([second, last]);
    expect(await forget(2)).toBe(1);
    expect(await forget(2)).toBe(0);
    expect(await eventsOf(company)).toEqual([last]);
    for (const gone of [first, second, third]) {
      expect(await repositories.accessEvents.find(gone?.id ?? '')).toBeNull();
    }
    await push(company, metricRecord(aMetric(company, { rawValue: decimal('5') })));
    expect((await eventsOf(company)).map(({ id }) => id)).toEqual([last?.id, expect.any(String)]);
  });

  test('a push without changes writes no event, and an event contains only changed items', async () => {
    const company = await addCompany(repositories);
    const arr = aMetric(company, { key: 'arr' });
    const records = [metricRecord(arr), sourceRecord(aSource(company))];
    await push(company, ...records, metricRecord(aMetric(company, { key: 'headcount' })));
    await push(company, ...records);
    await importTold(...records);
    expect(await eventsOf(company)).toHaveLength(1);
    await push(company, ...records, metricRecord({ ...arr, rawValue: decimal('7') }));
    const dataVersion = await versionOf(company);
    const parts = { hasSources: false, hasAccounts: false };
    const changed = { latestPeriods: { arr: arr.period }, corrections: { arr: [arr.period] } };
    const data = { metricKeys: ['arr'], ...changed, ...parts, dataVersion };
    expect((await eventsOf(company)).slice(1).map(told)).toEqual([['company_data.updated', data]]);
  });

  test('a new label of a metric counts as a change of its latest period', async () => {
    const company = await addCompany(repositories);
    const early = aMetric(company, { key: 'arr', period: '2026-01-31' });
    const late = aMetric(company, { key: 'arr', period: '2026-03-31' });
    await push(company, metricRecord(early), metricRecord(late));
    await push(company, metricRecord({ ...early, label: 'Recurring revenue' }));
    expect((await eventsOf(company))[1]?.data).toEqual({
      ...{ metricKeys: ['arr'], latestPeriods: { arr: late.period } },
      ...{ hasSources: false, hasAccounts: false, dataVersion: await versionOf(company) },
    });
  });

  test('an import writes one event for each company that it changes, even if it imports revisions', async () => {
    const [one, other, same] = [
      await addCompany(repositories),
      await addCompany(repositories),
      await addCompany(repositories),
    ] as const;
    const known = metricRecord(aMetric(same));
    await push(same, known);
    const revision = revisionRecord(aMetric(other, { key: 'arr' }));
    await importTold(known, metricRecord(aMetric(one)), revision, accountRecord(anAccount(one)));
    expect((await eventsOf(one)).map(({ data }) => data)).toMatchObject([
      { metricKeys: ['cash_balance'], hasSources: false, hasAccounts: true },
    ]);
    expect((await eventsOf(other)).map(({ data }) => data)).toMatchObject([
      { metricKeys: ['arr'], hasSources: false, hasAccounts: false },
    ]);
    expect(await eventsOf(same)).toHaveLength(1);
    await importTold(known, metricRecord(aMetric(one)), revision);
    expect(await eventsOf(other)).toHaveLength(1);
  });

  test('an event reports a source as failed once it starts to fail, and as recovered once it works again', async () => {
    const company = await addCompany(repositories);
    const source = (status: string, provider: string) =>
      sourceRecord(aSource(company, { status, provider }));
    await push(company, source('connected', 'mercury'), source('failed', 'stripe'));
    await push(company, source('failed', 'mercury'), source('failed', 'stripe'));
    await importTold(source('syncing', 'mercury'), source('connected', 'stripe'));
    const events = (await eventsOf(company)).filter(({ type }) => type !== 'company_data.updated');
    expect(events.map(({ type, data }) => [type, 'provider' in data && data.provider])).toEqual([
      ['source.failed', 'stripe'],
      ['source.failed', 'mercury'],
      ['source.recovered', 'mercury'],
    ]);
    const [mercury, stripe] = ['mercury', 'stripe'].map((provider) => ({
      provider,
      accountName: 'Operating account',
    }));
    const dataVersion = expect.stringMatching(/^\d+$/);
    expect(events[0]?.data).toEqual({ ...stripe, sources: [stripe], sourceCount: 1, dataVersion });
    const both = { ...mercury, sources: [mercury, stripe], sourceCount: 2, dataVersion };
    expect(events[2]?.data).toEqual(both);
  });

  test('a push that is rolled back writes no event', async () => {
    const company = await addCompany(repositories);
    const given = repositories.imports.transact(
      { credential: null, companyId: company.id, startedAt: at() },
      async (inside) => {
        await inside.apply(linesOf([metricRecord(aMetric(company))]), { createEvents: eventsAt() });
        throw new Error('given up');
      },
    );
    await expect(given).rejects.toThrow('given up');
    expect(await eventsOf(company)).toEqual([]);
  });

  test('an import without a `createEvents` function writes no event', async () => {
    const company = await addCompany(repositories);
    await importAll(repositories, [metricRecord(aMetric(company))]);
    expect(await eventsOf(company)).toEqual([]);
  });

  async function addGrant(
    pair: Awaited<ReturnType<typeof addPair>>,
    scopes: readonly GrantableScope[],
  ): Promise<AccessRequest> {
    const request = approved(anAccessRequest(pair, { requestedScopes: scopes }));
    await addRequests(repositories, request);
    return request;
  }

  const ofMetrics = { scopes: grantableScopes, now: at(1) };

  async function idsTo(investorId: string, query: Partial<FeedQuery> = {}) {
    const events = await read({ reader: { investorId }, data: ofMetrics, ...query });
    return events.map(({ id }) => id);
  }

  test('an investor gets each event that contains data of its grant, reduced to the granted scopes', async () => {
    const pair = await addPair(repositories);
    const { company, investor } = pair;
    await addGrant(pair, ['metrics:read', 'accounts:read']);
    await push(company, metricRecord(aMetric(company)), sourceRecord(aSource(company)));
    await push(company, accountRecord(anAccount(company)));
    await push(company, sourceRecord(aSource(company, { status: 'failed' })));
    const [metrics, accounts] = (await eventsOf(company)).map(({ id }) => id);
    expect(await idsTo(investor.id)).toEqual([metrics, accounts]);
    expect(await idsTo(investor.id, { data: { ...ofMetrics, scopes: ['accounts:read'] } })).toEqual(
      [accounts],
    );
    expect(await idsTo(investor.id, { data: { ...ofMetrics, scopes: ['sources:read'] } })).toEqual(
      [],
    );
    expect((await read({ reader: { investorId: investor.id } })).map(({ id }) => id)).toEqual([]);
    const last = await repositories.accessEvents.findLast({ investorId: investor.id }, ofMetrics);
    expect(last).toMatchObject({ id: accounts });
    expect(await repositories.accessEvents.findLast({ investorId: investor.id })).toBeNull();
  });

  test('an investor gets no events without a grant, after the grant’s end, or about a company outside its portfolio', async () => {
    const pair = await addPair(repositories);
    const { company, investor } = pair;
    const stranger = await addInvestor(repositories);
    await push(company, metricRecord(aMetric(company)));
    const [event] = await eventsOf(company);
    expect(await idsTo(investor.id)).toEqual([]);
    const request = await addGrant(pair, ['metrics:read']);
    expect(await idsTo(investor.id)).toEqual([event?.id]);
    expect(await idsTo(stranger.id)).toEqual([]);
    const ended = { ...ofMetrics, now: at(400 * day) };
    expect(await idsTo(investor.id, { data: ended })).toEqual([]);
    await repositories.directory.removeFromPortfolio(investor.id, company.id, anEntry());
    expect(await idsTo(investor.id)).toEqual([]);
    await repositories.directory.addToPortfolio(investor, company, at(), anEntry());
    expect(await idsTo(investor.id)).toEqual([event?.id]);
    await repositories.accessRequests.transact(null, (inside) =>
      inside.save({ ...request, status: 'revoked', deadlineAt: at(2) }),
    );
    expect(await idsTo(investor.id)).toEqual([]);
    const { find } = repositories.accessEvents;
    expect(await find(event?.id ?? '', { investorId: investor.id })).toEqual(event);
    expect(await find(event?.id ?? '', { companyId: company.id })).toEqual(event);
    expect(await find(event?.id ?? '', { investorId: stranger.id })).toBeNull();
    expect(await find(event?.id ?? '', { companyId: freshId('co') })).toBeNull();
  });

  test('events about data and access requests share one order, and can be read in pages, by type and by company', async () => {
    const pair = await addPair(repositories);
    const other = await addCompany(repositories);
    await repositories.directory.addToPortfolio(pair.investor, other, at(), anEntry());
    await addGrant(pair, ['metrics:read']);
    await addGrant({ ...pair, company: other }, ['metrics:read']);
    for (const company of [pair.company, other, pair.company]) {
      const rawValue = decimal(`${Date.now()}${Math.floor(Math.random() * 1e6)}`);
      await push(company, metricRecord(aMetric(company, { rawValue })));
    }
    const reader = { investorId: pair.investor.id };
    const all = await read({ reader, data: ofMetrics });
    expect(all.map(companyOf)).toEqual([pair.company.id, other.id, pair.company.id]);
    const positions = all.map(({ position }) => BigInt(position));
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)));
    const page = { reader, data: ofMetrics, after: all[0]?.position ?? null, limit: 1 };
    expect(await read(page)).toEqual([all[1]]);
    expect(await read({ reader, data: ofMetrics, types: ['source.failed'] })).toEqual([]);
    expect(await read({ reader, data: ofMetrics, types: ['company_data.updated'] })).toEqual(all);
    const until = all[1]?.position ?? null;
    expect(await read({ reader, data: ofMetrics, until })).toEqual(all.slice(0, 2));
    const ofOther = { reader, data: ofMetrics, companyId: other.id };
    expect(await read(ofOther)).toEqual([all[1]]);
    expect(await read({ ...ofOther, after: until })).toEqual([]);
  });

  test('events of simultaneous pushes and requests are all stored, and all reads return them in the same order', async () => {
    const pair = await addPair(repositories);
    const { company, investor } = pair;
    const request = await addGrant(pair, ['metrics:read']);
    const happen = () =>
      repositories.accessRequests.transact(null, (inside) =>
        inside.addEvent(createAccessEvent(freshId('evt'), request, operator, at()), null),
      );
    const values = Array.from({ length: 15 }, (_, index) => decimal(String(index + 1)));
    const writing = values.flatMap((rawValue) => [
      push(company, metricRecord(aMetric(company, { rawValue }))),
      happen(),
    ]);
    const readers = [{ companyId: company.id }, { investorId: investor.id }] as const;
    const idsOf = async (reader: FeedQuery['reader']) =>
      (await read({ reader, data: ofMetrics })).map(({ id }) => id);
    const reading = Array.from({ length: 10 }, (_, index) => idsOf(readers[index % 2 ? 0 : 1]));
    await Promise.all(writing);
    const all = await idsOf(readers[0]);
    expect(new Set(all).size).toBe(2 * values.length);
    expect(await idsOf(readers[1])).toEqual(all);
    for (const seen of await Promise.all(reading)) {
      expect(seen).toEqual(all.slice(0, seen.length));
    }
  });

  test('findGranted returns the investors with a grant of the company that also have it in their portfolio', async () => {
    const pair = await addPair(repositories);
    const { company, investor } = pair;
    const without = await addInvestor(repositories);
    await repositories.directory.addToPortfolio(without, company, at(), anEntry());
    const { findGranted } = repositories.accessEvents;
    expect(await findGranted([company.id])).toEqual(new Map());
    await addGrant(pair, ['metrics:read']);
    const granted = await findGranted([company.id, freshId('co')]);
    expect([...granted.keys()]).toEqual([company.id]);
    const ids = { companyId: company.id, investorId: investor.id };
    expect(granted.get(company.id)).toMatchObject([
      { ...ids, newestRequest: { status: 'approved', approvedScopes: ['metrics:read'] } },
    ]);
    expect(await findGranted([])).toEqual(new Map());
  });

  test('an event about changed data goes to webhooks of the company and of investors with a grant, but causes no mail', async () => {
    const pair = await addPair(repositories);
    const { company, investor } = pair;
    const other = await addPair(repositories);
    await addGrant(pair, ['metrics:read']);
    const owners = [
      { companyId: company.id },
      { investorId: investor.id },
      { investorId: other.investor.id },
    ];
    const endpoints = owners.map((owner) => anEndpoint({ owner, types: ['company_data.updated'] }));
    for (const endpoint of endpoints)
      await repositories.webhookEndpoints.add(null, endpoint, 10, anEntry());
    await push(company, metricRecord(aMetric(company)));
    await push(company, sourceRecord(aSource(company, { status: 'failed' })));
    const kindOf = () => null;
    const queue = () =>
      repositories.webhookDeliveries.queue({ isWanted, now: at(), limit: 1000, maxWaiting: 100 });
    while ((await queue()) > 0);
    const noNews = { newsKindOf: kindOf, planNews: kindOf };
    const mails = { ...noNews, kindOf, nextId: () => freshId('ml'), now: at(), limit: 1000 };
    while ((await repositories.mails.queue(mails)) > 0);
    const due = await Promise.all(
      endpoints.map(({ id }) => repositories.webhookDeliveries.listDue(id, at(), 10)),
    );
    const [updated, alsoUpdated] = (await eventsOf(company)).filter(
      ({ type }) => type === 'company_data.updated',
    );
    expect(due.map((list) => list.map(({ event }) => event?.id))).toEqual([
      [updated?.id, alsoUpdated?.id],
      // The second event is about sources, which the grant doesn't include.
      [updated?.id],
      [],
    ]);
  });
});
