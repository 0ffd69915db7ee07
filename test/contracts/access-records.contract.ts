import { expect, test } from 'vitest';
import type { AccessRecord, CompanyRecords, InvestorRecords, Scope } from '#core';
import {
  addCompany,
  addInvestor,
  anAccessRecord,
  anApiKey,
  anEntry,
  at,
  freshId,
  keyChanges,
} from './builders.ts';
import { contract } from './contract.ts';

export const accessRecordsContract = contract('access records', (repositories) => {
  /** Adds `count` records, one second apart, oldest first. */
  async function addSome(
    count: number,
    alike: Partial<AccessRecord> = {},
    differ: (index: number) => Partial<AccessRecord> = () => ({}),
  ): Promise<AccessRecord[]> {
    const records = Array.from({ length: count }, (_, index) =>
      anAccessRecord({ ...alike, occurredAt: at(index * 1000), ...differ(index) }),
    );
    await Promise.all(records.map((record) => repositories.accessRecords.record(record)));
    return records;
  }

  const grantable = ['metrics:read', 'sources:read', 'accounts:read'] as const;
  const ofInvestor = (investorId: string, filter: Partial<InvestorRecords> = {}) =>
    repositories.accessRecords.listOfInvestor({
      investorId,
      scopes: grantable,
      before: null,
      limit: 100,
      ...filter,
    });
  const ofCompany = (companyId: string, filter: Partial<CompanyRecords> = {}) =>
    repositories.accessRecords
      .listOfCompany({ companyId, limit: 100, ...filter })
      .then((found) => found.map(({ investorName: _, ...record }) => record));

  test('an access record of an allowed or a refused read is read back as it was stored', async () => {
    const allowed = anAccessRecord({
      resource: 'metric',
      metricKey: 'cash_balance',
      protocol: 'trpc',
    });
    const { investorId } = allowed;
    const refused = anAccessRecord({
      investorId,
      occurredAt: at(-1),
      companyId: null,
      scope: 'accounts:read',
      resource: 'accounts',
      protocol: 'graphql',
      grantId: null,
      outcome: 'company_not_found',
    });
    await repositories.accessRecords.record(allowed);
    await repositories.accessRecords.record(refused);
    expect(await ofInvestor(investorId)).toEqual([allowed, refused]);
  });

  test('access records that are committed together keep their own values and nulls', async () => {
    const investorId = freshId('inv');
    const records = await addSome(12, { investorId }, (index) => ({
      metricKey: index % 3 === 0 ? `key.${index}` : null,
      ...(index % 2 === 0 && { outcome: 'access_required', grantId: null }),
      ...(index % 4 === 0 && { outcome: 'company_not_found', companyId: null }),
    }));
    expect(await ofInvestor(investorId)).toEqual(records.toReversed());
  });

  /** Lists of texts that a store without proper quoting would change. */
  const awkwardTexts = [
    'a,b',
    '"',
    '\\',
    '\\"',
    '{}',
    'null',
    'NULL',
    '',
    ' ',
    'a\nb',
    '\u0001',
    '’é😀',
  ];

  test.each([awkwardTexts, ...awkwardTexts.map((text) => [text])])(
    'lists of texts are read back unchanged, whatever characters they contain: %j',
    async (...texts) => {
      const investorId = freshId('inv');
      const records = await addSome(texts.length + 1, { investorId }, (index) => ({
        metricKey: texts[index] ?? null,
        companyId: texts[index] ?? freshId('co'),
      }));
      expect(await ofInvestor(investorId)).toEqual(records.toReversed());
    },
  );

  test('an access record that is written asynchronously is stored shortly afterwards', async () => {
    const companyId = freshId('co');
    const record = anAccessRecord({ companyId, grantId: null, outcome: 'access_required' });
    repositories.accessRecords.recordEventually(record);
    await expect.poll(() => ofCompany(companyId)).toEqual([record]);
  });

  test('equal refusals in one API request are stored as one access record with their number', async () => {
    const companyId = freshId('co');
    const refused = { companyId, grantId: null, outcome: 'access_required' } as const;
    const first = anAccessRecord({ ...refused, occurredAt: at(2) });
    const other = anAccessRecord(refused);
    const { accessRecords } = repositories;
    accessRecords.recordEventually(first);
    accessRecords.recordEventually(other);
    accessRecords.recordEventually({ ...first, id: freshId('rec'), occurredAt: at(3) });
    await expect.poll(() => ofCompany(companyId)).toEqual([{ ...first, count: 2 }, other]);
  });

  test('a company’s access records contain the name of the investor, or null if the investor doesn’t exist', async () => {
    const { accessRecords } = repositories;
    const investor = await addInvestor(repositories, { name: 'North Capital' });
    const companyId = freshId('co');
    const record = anAccessRecord({ investorId: investor.id, companyId, occurredAt: at(2) });
    const lost = anAccessRecord({ companyId, occurredAt: at(1) });
    for (const each of [record, lost]) await accessRecords.record(each);
    expect(await accessRecords.listOfCompany({ companyId, limit: 10 })).toEqual([
      { ...record, investorName: 'North Capital' },
      { ...lost, investorName: null },
    ]);
  });

  test('a company’s access records are listed newest first, with a limit and filters for key and time', async () => {
    const companyId = freshId('co');
    const [first, second, third] = await addSome(3, { companyId });
    await addSome(1);
    const idsOf = async (filter: Partial<CompanyRecords>) =>
      (await ofCompany(companyId, filter)).map(({ id }) => id);
    expect(await idsOf({ since: second?.occurredAt })).toEqual([third?.id, second?.id]);
    expect(await idsOf({ until: second?.occurredAt })).toEqual([second?.id, first?.id]);
    expect(await idsOf({ limit: 1 })).toEqual([third?.id]);
    expect(await idsOf({ keyId: second?.keyId ?? undefined })).toEqual([second?.id]);
    expect(await idsOf({ keyId: freshId('key') })).toEqual([]);
  });

  test('an investor’s access records of all scopes are listed together, newest first', async () => {
    const investorId = freshId('inv');
    const records = await addSome(9, { investorId }, (index) => ({
      scope: grantable[index % 3] ?? 'metrics:read',
    }));
    const [third, second, first] = records.slice(-3);
    expect(await ofInvestor(investorId)).toEqual(records.toReversed());
    expect(await ofInvestor(investorId, { limit: 2 })).toEqual([first, second]);
    expect(await ofInvestor(investorId, { since: third?.occurredAt })).toEqual([
      first,
      second,
      third,
    ]);
    const companyId = second?.companyId ?? '';
    expect(await ofInvestor(investorId, { companyId })).toEqual([second]);
    expect(await ofInvestor(freshId('inv'), { companyId })).toEqual([]);
  });

  test('an investor’s access records can be filtered by the scopes that the reads required', async () => {
    const investorId = freshId('inv');
    const metrics = anAccessRecord({ investorId });
    const sources = anAccessRecord({ investorId, scope: 'sources:read', resource: 'sources' });
    for (const record of [metrics, sources]) await repositories.accessRecords.record(record);
    const listed = (scopes: readonly Scope[]) => ofInvestor(investorId, { scopes });
    expect(await listed(['metrics:read', 'reports:read', 'metrics:read'])).toEqual([metrics]);
    expect(await listed([])).toEqual([]);
  });

  test('an investor’s access records can be filtered by reader, protocol, outcome and API request', async () => {
    const investorId = freshId('inv');
    const byKey = anAccessRecord({ investorId, occurredAt: at(3) });
    const byPerson = anAccessRecord({
      ...{ investorId, occurredAt: at(2), protocol: 'desk' },
      ...{ keyId: null, contactId: freshId('ct') },
    });
    const refused = anAccessRecord({
      ...{ investorId, occurredAt: at(1), protocol: 'graphql' },
      ...{ grantId: null, outcome: 'access_revoked' },
    });
    for (const record of [byKey, byPerson, refused]) {
      await repositories.accessRecords.record(record);
    }
    const found = (filter: Partial<InvestorRecords>) => ofInvestor(investorId, filter);
    expect(await found({ keyId: byKey.keyId ?? '' })).toEqual([byKey]);
    expect(await found({ contactId: byPerson.contactId ?? '' })).toEqual([byPerson]);
    expect(await found({ protocol: 'desk' })).toEqual([byPerson]);
    expect(await found({ outcome: 'allowed' })).toEqual([byKey, byPerson]);
    expect(await found({ outcome: 'refused' })).toEqual([refused]);
    expect(await found({ outcome: 'access_revoked' })).toEqual([refused]);
    expect(await found({ outcome: 'access_pending' })).toEqual([]);
    expect(await found({ requestId: refused.requestId })).toEqual([refused]);
    expect(await found({ requestId: refused.requestId, protocol: 'desk' })).toEqual([]);
    expect(await ofInvestor(freshId('inv'), { keyId: byKey.keyId ?? '' })).toEqual([]);
  });

  test('an investor’s access records can be listed down to a given record, including this record', async () => {
    const investorId = freshId('inv');
    const [oldest, middle, newest] = (await addSome(3, { investorId })) as [
      AccessRecord,
      AccessRecord,
      AccessRecord,
    ];
    const oldestCursor = { instant: middle.occurredAt, id: middle.id };
    expect(await ofInvestor(investorId, { oldestCursor })).toEqual([newest, middle]);
    const before = { instant: newest.occurredAt, id: newest.id };
    expect(await ofInvestor(investorId, { oldestCursor, before })).toEqual([middle]);
    expect(await ofInvestor(investorId, { oldestCursor: null })).toEqual([newest, middle, oldest]);
    const list = { investorId, scopes: ['metrics:read'], before: null } as const;
    expect(await repositories.accessRecords.findCursor(list, 2)).toEqual(oldestCursor);
    expect(await repositories.accessRecords.findCursor(list, 4)).toBeNull();
  });

  test('access records of the same instant are sorted by id in descending order', async () => {
    const investorId = freshId('inv');
    const records = ['rec_a', 'rec_b'].map((prefix) =>
      anAccessRecord({ id: freshId(prefix), investorId }),
    );
    for (const record of records) await repositories.accessRecords.record(record);
    expect(await ofInvestor(investorId)).toEqual(records.toReversed());
  });

  test('access records from several years are returned as one list, for any filter and any page', async () => {
    const [investorId, companyId, keyId] = [freshId('inv'), freshId('co'), freshId('key')];
    const days = [0, 0.5, 1, 3, 20, 33, 34, 100, 600, 1_200];
    const now = Date.now();
    const records = days.map((age) =>
      anAccessRecord({
        investorId,
        companyId,
        keyId,
        occurredAt: new Date(now - age * 86_400_000),
      }),
    );
    for (const record of records) await repositories.accessRecords.record(record);
    expect(await ofInvestor(investorId)).toEqual(records);
    expect(await ofCompany(companyId)).toEqual(records);
    for (let first = 0; first < records.length; first += 1) {
      const until = records[first]?.occurredAt;
      expect(await ofCompany(companyId, { until, limit: 4 })).toEqual(
        records.slice(first, first + 4),
      );
      expect(await ofCompany(companyId, { since: until })).toEqual(records.slice(0, first + 1));
      expect(await ofInvestor(investorId, { since: until })).toEqual(records.slice(0, first + 1));
      expect(await ofInvestor(investorId, { until, limit: 4 })).toEqual(
        records.slice(first, first + 4),
      );
      const place = await repositories.accessRecords.findCursor(
        { companyId, before: null },
        first + 1,
      );
      expect(place).toEqual({ instant: until, id: records[first]?.id });
      const left = records.length - first - 1;
      const next = (count: number) =>
        repositories.accessRecords.findCursor({ companyId, before: place }, count);
      expect(await next(left + 1)).toBeNull();
      if (left > 0) expect(await next(left)).toMatchObject({ id: records.at(-1)?.id });
    }
  });

  test('an investor’s access records name its own keys and contacts and related companies, but no others', async () => {
    const { accessRecords, directory, apiKeys } = repositories;
    const investor = await addInvestor(repositories);
    const { key, digest } = anApiKey(investor);
    await keyChanges(apiKeys).add({ key, digest });
    const [own, others] = [await addCompany(repositories), await addCompany(repositories)];
    await directory.addToPortfolio(investor, own, at(), anEntry());
    await directory.addToPortfolio(await addInvestor(repositories), others, at(), anEntry());
    const asked = [own.id, others.id, 'co_none', null, own.id];
    const records = asked.map((companyId) => ({ keyId: key.id, contactId: null, companyId }));
    const known = { id: own.id, name: own.name, isInPortfolio: true };
    const names = await accessRecords.nameOfInvestor(investor.id, records);
    expect(names).toEqual(
      [known, null, null, null, known].map((company) => ({
        keyHint: key.hint,
        contactEmail: null,
        company,
      })),
    );
    const person = { keyId: null, contactId: 'ct_removed', companyId: own.id };
    expect(
      await accessRecords.nameOfInvestor(investor.id, [person, ...records.slice(0, 1)]),
    ).toEqual([
      { keyHint: null, contactEmail: null, company: known },
      { keyHint: key.hint, contactEmail: null, company: known },
    ]);
    expect(await accessRecords.nameOfInvestor(investor.id, [])).toEqual([]);
  });
});
