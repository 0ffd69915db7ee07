import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CompanyCaller,
  maxPerCompany,
  maxPushedRevisions,
  type Ports,
  pushCost,
  Refusal,
  reasonOf,
  unreadableRecord,
} from '#core';
import type { MemoryPorts } from '../../../memory/index.ts';
import { asOfNow } from '../../../support/call.ts';
import { sampleData } from '../../../support/fixtures.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { sourceLine, withoutKey } from '../../builders.ts';
import { aNewcomer, day, expectRefusal } from '../../world.ts';
import { importIn, parsed, signedRevision, value, withPusher } from './push-steps.ts';

const sourceOf = (account_name: string) => sourceLine(undefined, { account_name });

const accountOf = (more: object) => ({
  ...{ type: 'account', provider: 'Mercury', name: 'Operating', account_type: 'bank' },
  ...{ currency: 'USD', raw_balance: 1, last_synced_at: '2026-11-01T04:00:00Z', ...more },
});

async function detailsOf(pushing: Promise<unknown>) {
  const { details } = await expectRefusal(pushing, 'invalid_records');
  return details;
}

describe('a push', () => {
  test('accepts and signs the same records as an import, so importing them later changes nothing', async () => {
    const { push, metrics, companyId, ...world } = await withPusher();
    expect(await push(sampleData(companyId))).toEqual({
      created: 8,
      revised: 0,
      unchanged: 0,
      dataVersion: expect.any(String),
      replayed: false,
    });
    expect(await metrics()).toMatchObject([
      { key: 'cash_balance', verification: { signed: true } },
      { key: 'headcount', verification: { signed: true } },
    ]);
    const { result } = await importIn(world, sampleData(companyId));
    expect(result).toMatchObject({ inserted: 0, updated: 0, unchanged: 8 });
  });

  test('stores unsigned values if there is no signing key, like an import', async () => {
    const { push, metrics } = await withPusher(withoutKey);
    expect(await push([value()])).toMatchObject({ created: 1 });
    expect(await metrics()).toMatchObject([{ verification: { signed: false } }]);
  });

  test('is refused if it would store more sources than a read may return, and so is an import', async () => {
    const { push, companyId, ports, ...world } = await withPusher();
    const sources = Array.from({ length: maxPerCompany.sources }, (_, index) =>
      sourceOf(`no ${index}`),
    );
    expect(await push(sources)).toMatchObject({ created: maxPerCompany.sources });
    expect(await push([sources[0] as object])).toMatchObject({ unchanged: 1 });
    const message = `${companyId} would have more than 500 sources`;
    const records = [sources[1] as object, sourceOf('one more'), sources[2] as object, value()];
    expect(await detailsOf(push(records))).toEqual({
      badRecords: 1,
      records: [{ record: 1, param: null, message }],
    });
    const imported = importIn(world, [{ ...sourceOf('one more'), company_id: companyId }]);
    await expect(imported).rejects.toThrow(message);
    expect(await ports.companyData.sources(asOfNow(companyId))).toHaveLength(maxPerCompany.sources);
  });

  test.each(['metrics', 'accounts'] as const)('can’t exceed the limit of %s', async (kind) => {
    const { push } = await withPusher();
    const make = (index: number) =>
      kind === 'metrics' ? value({ key: `m${index}` }) : accountOf({ id: `acct_${index}` });
    for (let first = 0; first < maxPerCompany[kind]; first += 500)
      await push(Array.from({ length: 500 }, (_, index) => make(first + index)));
    const { records } = await detailsOf(push([make(0), make(maxPerCompany[kind]), make(1)]));
    expect(records).toMatchObject([{ record: 1, message: expect.stringContaining(kind) }]);
  });

  test('requires the scope data:write', async () => {
    const { companies, self } = await withPusher();
    const reader: CompanyCaller = { ...self, scopes: ['consents:manage', 'data:read'] };
    const records = parsed([value()]);
    await expectRefusal(
      () => companies.pushRecords(reader, { records }),
      'insufficient_scope',
      'data:write',
    );
  });

  test('reports the problems of each record and changes nothing', async () => {
    const { companies, self, metrics, companyId } = await withPusher();
    const records = [
      ...parsed([value(), value({ raw_value: 'many', key: '' })]),
      unreadableRecord,
      'text',
      null,
      ...parsed([
        [],
        { type: 'portfolio', investor_id: 'inv_1', company_id: companyId },
        value({ company_id: 'co_other', source: { ...value().source, signature: 'a.b.c' } }),
        value({ source: { ...value().source, signature: 'a.b.c' } }),
        value({ verification: { verified: true, signed: true, signature: 'a.b.c' } }),
      ]),
    ];
    const refused = companies.pushRecords(self, { records });
    expect(await detailsOf(refused)).toEqual({
      badRecords: 9,
      records: [
        { record: 1, param: 'key', message: 'is not a metric key' },
        { record: 1, param: 'raw_value', message: 'is not a number' },
        { record: 2, param: null, message: 'is not valid JSON' },
        { record: 3, param: null, message: 'is not an object' },
        { record: 4, param: null, message: 'is not an object' },
        { record: 5, param: null, message: 'is not an object' },
        { record: 6, param: 'type', message: 'is not one of metric, source, account, void' },
        { record: 7, param: 'company_id', message: `must be ${companyId}, or be left out` },
        {
          record: 8,
          param: 'source.signature',
          message: 'is not in canonical form, or has a duplicate member',
        },
        { record: 9, param: 'verification.signature', message: "isn't the signature of a metric" },
      ],
    });
    expect(await metrics()).toEqual([]);
  });

  test('reports problems with stored revisions together with all other problems', async () => {
    const { push } = await withPusher();
    // This push registers the signing key, so that signed revisions can be accepted.
    await push([value({ key: 'burn' })]);
    const records = [await signedRevision(2), value({ key: '' })];
    await expectRefusal(
      push(records),
      'invalid_records',
      /^2 records can't be stored, so nothing was changed\. The first: record 0, revision: revision 1 of this period is missing\.$/,
    );
    expect(await detailsOf(push(records))).toMatchObject({
      records: [
        { record: 0, param: 'revision', message: 'revision 1 of this period is missing' },
        { record: 1, param: 'key' },
      ],
    });
    const message = /^1 record can't be stored.* The first: record 0: is not an object\.$/;
    await expectRefusal(push([7 as never]), 'invalid_records', message);
  });

  test('reports the first hundred problems and the number of records with problems', async () => {
    const { push } = await withPusher();
    const { records = [], badRecords } = await detailsOf(push(Array(101).fill([])));
    expect(records.map(({ record }) => record)).toEqual([...Array(100).keys()]);
    expect(badRecords).toBe(101);
  });

  test('accepts a record with a revision number only if the record has its original signature', async () => {
    const { push } = await withPusher();
    // This push registers the signing key, so that signed revisions can be accepted.
    await push([value({ key: 'burn' })]);
    expect(await push([await signedRevision(1), await signedRevision(2)])).toMatchObject({
      created: 1,
      revised: 1,
    });
    const message = 'is allowed only together with the signature of the value';
    expect(await detailsOf(push([value({ revision: 3, raw_value: 3 })]))).toMatchObject({
      records: [{ record: 0, param: 'revision', message }],
    });
  });

  test('is refused if it has more than the maximum number of different revisions', async () => {
    const { push } = await withPusher();
    // This push registers the signing key, so that signed revisions can be accepted.
    await push([value({ key: 'burn' })]);
    const count = maxPushedRevisions + 1;
    const records = await Promise.all(
      Array.from({ length: count }, (_, index) => signedRevision(index + 1)),
    );
    const message = 'exceeds the limit of 10 different revisions per push';
    expect(await detailsOf(push(records))).toMatchObject({
      records: [{ record: count - 1, param: 'revision', message }],
    });
    // A value without a revision number doesn't count.
    expect(await push([value({ key: 'mrr' }), ...records.slice(0, -1)])).toMatchObject({
      ...{ created: 2, revised: count - 2 },
    });
  });

  test('can contain only records of one source if its API key is bound to that source', async () => {
    const { push, self } = await withPusher();
    const bound = { ...self, source: 'QuickBooks' };
    const of = (provider: string) => [
      value({ source: { ...value().source, system: provider } }),
      sourceLine(undefined, { provider }),
      accountOf({ provider }),
    ];
    expect(await push(of('QuickBooks'), {}, bound)).toMatchObject({ created: 3 });
    const { records } = await detailsOf(push(of('Stripe'), {}, bound));
    const message = 'must be QuickBooks, because the key is limited to this source';
    expect(records).toMatchObject(
      ['source.system', 'provider', 'provider'].map((param) => ({ param, message })),
    );
    expect(await push(of('Stripe'))).toMatchObject({ created: 2, revised: 1 });
  });

  test('keeps the stored name of a metric if the record has no name', async () => {
    const { push, metrics } = await withPusher();
    await push([value({ label: undefined })]);
    expect(await metrics()).toMatchObject([{ label: 'Arr', category: 'other' }]);
    await push([value({ label: 'Annual recurring revenue', category: 'growth' })]);
    const named = { label: 'Annual recurring revenue', category: 'growth' };
    expect(await push([value({ label: undefined })])).toMatchObject({ unchanged: 1 });
    await push([value({ label: undefined, raw_value: 7 })]);
    expect(await metrics()).toMatchObject([{ ...named, rawValue: '7' }]);
    await push([value({ label: 'ARR' })]);
    expect(await metrics()).toMatchObject([{ label: 'ARR', category: 'growth' }]);
  });

  test('stores its result for a repeated push only if it has an idempotency key', async () => {
    const kept: (string | undefined)[] = [];
    const { push } = await withPusher(({ imports }) => ({
      imports: {
        ...imports,
        transact: (opening, work) =>
          imports.transact(opening, (transaction) =>
            work({
              ...transaction,
              storePush(pushed) {
                kept.push(pushed.key);
                return transaction.storePush(pushed);
              },
            }),
          ),
      },
    }));
    await push([value()]);
    await push([value()], { idempotencyKey: 'a' });
    expect(kept).toEqual(['a']);
  });

  test('changes nothing in a dry run, and returns the counts that a real push would return', async () => {
    const { push, metrics } = await withPusher();
    const { dataVersion } = await push([value()]);
    const tried = await push([value({ raw_value: 2 }), value({ key: 'mrr' })], {
      dryRun: true,
      idempotencyKey: 'a',
    });
    expect(tried).toEqual({ created: 1, revised: 1, unchanged: 0, dataVersion, replayed: false });
    expect(await metrics()).toMatchObject([{ key: 'arr', rawValue: '1' }]);
    await expectRefusal(push([value({ key: '' })], { dryRun: true }), 'invalid_records');
    expect(await push([value()], { idempotencyKey: 'a' })).toMatchObject({ replayed: false });
  });

  test('reveals only new, changed or unchanged in a dry run of a key without data:read', async () => {
    const { push, self } = await withPusher();
    const { dataVersion } = await push([value()]);
    const bound = { ...self, source: 'Stripe' };
    const stripe = { source: { ...value().source, system: 'Stripe' } };
    const guess = async (more: object, caller = self) =>
      push([value(more)], { dryRun: true }, caller);
    const none = { created: 0, revised: 0, unchanged: 0, dataVersion, replayed: false };
    expect(await guess({})).toEqual({ ...none, unchanged: 1 });
    expect(await guess({ raw_value: 2 })).toEqual({ ...none, revised: 1 });
    expect(await guess({ label: 'Another' })).toEqual({ ...none, revised: 1 });
    expect(await guess({ period: '2026-09-30' })).toEqual({ ...none, created: 1 });
    const message =
      'arr comes from another source, so a key that is bound to Stripe cannot change it';
    for (const raw_value of [1, 2]) {
      for (const period of ['2026-09-30', '2026-10-31', '2026-11-30']) {
        const { records } = await detailsOf(guess({ ...stripe, raw_value, period }, bound));
        expect(records).toEqual([{ record: 0, param: 'source.system', message }]);
      }
    }
    expect(await guess({ ...stripe, key: 'mrr' }, bound)).toEqual({ ...none, created: 1 });
  });

  test('is refused for the same records as an import, with the same messages', async () => {
    const { push, companyId, ...world } = await withPusher();
    const valid = sampleData(companyId) as Record<string, unknown>[];
    const wrong = [undefined, null, '', 'x', 0, -1, true, [], {}, '2026-13-01', 'a\u0000b', 1e30];
    const junk = fc.oneof(fc.constantFrom(...wrong), fc.string());
    const changed = fc
      .tuple(fc.constantFrom(...valid), fc.nat({ max: 20 }), junk)
      .map(([record, field, value]) => {
        const names = Object.keys(record).filter((name) => !['type', 'company_id'].includes(name));
        return { ...record, [names[field % names.length] ?? '']: value };
      });
    await fc.assert(
      fc.asyncProperty(changed, async (record) => {
        const { reasons } = await importIn(world, [record]);
        const refused = await push([record]).then(
          () => [],
          ({ details }) => [reasonOf(details.records)],
        );
        expect(refused).toEqual(reasons);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  const noNumber = (text: string, number: string) =>
    `doesn't show the number of ${number}. Leave out ${text} to have the number formatted`;
  const otherCurrency =
    'names a currency other than USD. Leave out value to have the number formatted';
  test.each([
    ['period', 'is before 1970-01-01', value({ period: '1969-12-31' })],
    ['period', 'is before 1970-01-01', value({ period: '0026-10-31' })],
    ['period', 'is more than one year ahead', value({ period: '2027-11-03' })],
    ['period', 'is more than one year ahead', value({ period: '2062-10-31' })],
    ['value', noNumber('value', 'raw_value, 81.2'), value({ raw_value: 81.2, value: '77.3%' })],
    ['balance', noNumber('balance', 'raw_balance, 1'), accountOf({ balance: '$2' })],
    ['value', otherCurrency, value({ raw_value: 1000, currency: 'USD', value: '€1,000' })],
  ])('is refused if the %s of a record from a program %s', async (param, message, record) => {
    const { push, metrics } = await withPusher();
    const refused = push([value({ key: 'mrr' }), record, sourceOf('Ledger')]);
    const records = [{ record: 1, param, message }];
    expect(await detailsOf(refused)).toEqual({ badRecords: 1, records });
    expect(await metrics()).toEqual([]);
  });

  test('accepts periods from 1970 to one year ahead, and display texts that show the record’s number', async () => {
    const { push, metrics } = await withPusher();
    const shown = { raw_value: 1000, currency: 'USD', value: 'US$1K' };
    const records = [
      ...['1970-01-01', '2027-11-02'].map((period) => value({ period })),
      value({ key: 'margin', raw_value: 81.2, value: '81%' }),
      value({ key: 'mrr', ...shown }),
      accountOf({ balance: 'USD 1.00' }),
    ];
    expect(await push(records)).toMatchObject({ created: 5 });
    expect(await metrics()).toMatchObject([
      { key: 'arr', period: '2027-11-02' },
      { rawValue: '81.2', value: '81%' },
      { rawValue: '1000', value: 'US$1K' },
    ]);
  });

  test('runs once per idempotency key within a day', async () => {
    const { push, clock, companies, self } = await withPusher();
    const idempotencyKey = 'a';
    const first = await push([value()], { idempotencyKey });
    await push([value({ raw_value: 2 })]);
    expect(await push([value()], { idempotencyKey })).toEqual({ ...first, replayed: true });
    await expectRefusal(
      push([value({ raw_value: 3 })], { idempotencyKey }),
      'idempotency_key_reused',
    );
    await expectRefusal(push([{}], { idempotencyKey }), 'idempotency_key_reused');
    clock.advance(day);
    expect(await push([value()], { idempotencyKey })).toMatchObject({
      revised: 1,
      replayed: false,
    });
    const wrong = companies.pushRecords(self, { records: [], idempotencyKey: '' });
    await expectRefusal(wrong, 'invalid_parameter');
  });

  test('deletes its stored result after its idempotency key has expired', async () => {
    const { push, ports, clock, background, companyId } = await withPusher();
    await push([value()], { idempotencyKey: 'a' });
    const find = () =>
      ports.imports.transact(
        { credential: null, companyId, startedAt: clock.now() },
        (transaction) => transaction.findStoredPush('a', new Date(0)),
      );
    await background.deleteExpiredIdempotencyKeys();
    expect(await find()).not.toBeNull();
    clock.advance(day);
    await background.deleteExpiredIdempotencyKeys();
    expect(await find()).toBeNull();
  });

  describe('during which an operator retires the signing key', () => {
    const failing = (times: number, fail: () => Promise<null>) => {
      let left = times;
      return ({ imports }: MemoryPorts): Partial<Ports> => ({
        imports: {
          ...imports,
          transact: (of, work) =>
            imports.transact(of, (transaction) => {
              left -= 1;
              return work(left < 0 ? transaction : { ...transaction, apply: fail });
            }),
        },
      });
    };

    test('is signed with the new key', async () => {
      const { push } = await withPusher(failing(2, async () => null));
      expect(await push([value()])).toMatchObject({ created: 1 });
    });

    test('also succeeds if one of its revisions is signed by the retired key', async () => {
      const retired = () => Promise.reject(new Refusal('signing_key_conflict'));
      const { push } = await withPusher(failing(1, retired));
      expect(await push([value()])).toMatchObject({ created: 1 });
    });

    test('is refused with service_unavailable if the current key is retired in each attempt', async () => {
      const { push, metrics } = await withPusher(failing(3, async () => null));
      await expectRefusal(push([value()]), 'service_unavailable');
      expect(await metrics()).toEqual([]);
    });

    test('throws unrelated errors unchanged', async () => {
      const broken = () => Promise.reject(new Error('the disk is full'));
      const { push } = await withPusher(failing(9, broken));
      await expect(push([value()])).rejects.toThrow('the disk is full');
      await expect(push([value()], { dryRun: true })).rejects.toThrow('the disk is full');
    });
  });

  test.each([
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [1_000, 10],
  ])(
    'costs points of the rate limit, depending on its size: %d records cost %d points',
    (records, cost) => {
      expect(pushCost(records)).toBe(cost);
    },
  );
});

describe('a company’s read of its own data', () => {
  test('returns the same data that an investor gets, requires data:read and leaves no access record', async () => {
    const { world, companyId, caller } = await aNewcomer();
    const self = await world.admitCompany(companyId);
    const pusher = await world.admitCompany(companyId, { scopes: ['data:write'] });
    await world.companies.pushRecords(pusher, { records: parsed(sampleData(companyId)) });
    const { companies } = world;
    expect(await companies.readOwnMetrics(self, {})).toHaveLength(2);
    expect(await companies.readOwnMetrics(self, { keys: ['headcount'] })).toHaveLength(1);
    expect(await companies.readOwnMetricHistory(self, { key: 'cash_balance' })).toHaveLength(3);
    expect(await companies.readOwnSources(self, {})).toHaveLength(2);
    expect(await companies.readOwnAccounts(self, {})).toHaveLength(2);
    expect((await companies.listReceivedRecords(self, {})).items).toEqual([]);
    const writer: CompanyCaller = { ...self, scopes: ['data:write'] };
    await expectRefusal(companies.readOwnSources(writer, {}), 'insufficient_scope');
    const of = (id: string) => world.callers.readSources(self, { companyId: id });
    expect(await of(companyId)).toHaveLength(2);
    await expectRefusal(of('co_other'), 'company_not_found');
    await expectRefusal(of((await world.company()).id), 'company_not_found');
    await expectRefusal(world.callers.readSources(caller, { companyId }), 'access_required');
  });
});
