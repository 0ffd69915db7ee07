import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../world.ts';
import { withContact } from './contact-steps.ts';
import { value } from './push-steps.ts';

const source = { system: 'Qonto', method: 'api', last_synced: '2026-11-01T04:00:00Z' };
const verified = { source, confidence: 'high', verification: { verified: true } };

async function withStored(more: object = {}) {
  const world = await withContact();
  await world.pushByProgram([value({ ...verified, currency: 'EUR', ...more })]);
  const newest = async () => (await world.metrics())[0];
  return { ...world, newest };
}

describe('a value that a company’s contact enters or uploads', () => {
  test.each([
    ['is new', { period: '2026-09-30' }],
    ['is the first value of a new metric', { key: 'mrr' }],
    ['has another number than the stored value', { raw_value: 2 }],
    ['has another currency than the stored value', { currency: 'USD' }],
  ])('is stored as an unverified upload if it %s', async (_, more) => {
    const { push, metrics, companies, self } = await withStored();
    await push([value({ ...verified, ...more })], { ticked: [0] });
    const { key, period } = value(more);
    const history = await companies.readOwnMetricHistory(self, { key });
    expect(history.find((each) => each.period === period)).toMatchObject({
      source: { system: 'Qonto', method: 'upload' },
      verification: { verified: false, signed: true },
      confidence: 'unknown',
    });
    expect(await metrics()).not.toEqual([]);
  });

  test('keeps the source method that the form sends, for example manual', async () => {
    const { push, newest } = await withStored();
    await push([value({ ...verified, raw_value: 2 })], { method: 'manual' });
    expect(await newest()).toMatchObject({ source: { system: 'Qonto', method: 'manual' } });
  });

  test('changes nothing if the stored value has the same number and currency', async () => {
    const { push, newest, changes } = await withStored({
      value: '1.0 EUR',
      as_of: source.last_synced,
    });
    const before = await newest();
    const same = value({
      currency: 'EUR',
      value: '5%',
      confidence: 'low',
      as_of: '2026-10-01T00:00:00Z',
      source: { ...source, system: 'Sheet', last_synced: '2026-11-02T00:00:00Z' },
    });
    expect(await changes([same])).toEqual(['unchanged']);
    expect(await push([same])).toMatchObject({ created: 0, revised: 0, unchanged: 1, leftOut: 0 });
    expect(await newest()).toEqual(before);
  });

  test.each([undefined, null])(
    'gets the stored currency of the metric if its own currency is %s',
    async (currency) => {
      const { push, newest, companies, self, preview } = await withStored();
      const records = [
        value({ currency, raw_value: 2 }),
        value({ currency, period: '2026-09-30', raw_value: 3 }),
        value({ currency, key: 'headcount' }),
      ];
      expect((await preview(records)).metrics.map(({ marks }) => marks)).toEqual([[], [], []]);
      await push(records);
      expect(await newest()).toMatchObject({ currency: 'EUR', value: '€2' });
      const history = await companies.readOwnMetricHistory(self, { key: 'arr' });
      expect(history.map((each) => each.currency)).toEqual(['EUR', 'EUR']);
      const [headcount] = await companies.readOwnMetricHistory(self, { key: 'headcount' });
      expect(headcount).toMatchObject({ currency: null, value: '1' });
    },
  );

  test('gets a display text from its number and unit, and ignores the text in the record', async () => {
    const { push, pushByProgram, newest, companies, self } = await withStored({
      raw_value: 80,
    });
    await pushByProgram([value({ key: 'margin', raw_value: 77.3, value: '77.3%' })]);
    await push([
      value({ raw_value: 81.2, value: '€1' }),
      value({ key: 'margin', raw_value: 81.2, value: '77.3%' }),
    ]);
    expect(await newest()).toMatchObject({ rawValue: '81.2', value: '€81.20' });
    const [margin] = await companies.readOwnMetricHistory(self, { key: 'margin' });
    expect(margin).toMatchObject({ rawValue: '81.2', value: '81.2%' });
  });

  test.each([
    [{}, false],
    [{ verification: { verified: true } }, true],
    [{ verification: null }, false],
    [{ source: { ...source, signature: undefined }, verification: { verified: true } }, false],
  ])(
    'is verified only if the record claims it and has the signature of a registered signer: %j is verified: %s',
    async (more, isVerified) => {
      const world = await withStored();
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
      const jwk = { ...(await exportJWK(publicKey)), kid: 'auditor' };
      const { companyId } = world;
      await world.operator.addUpstreamSigners({ companyId, jwks: JSON.stringify({ keys: [jwk] }) });
      const claims = { company_id: companyId, key: 'arr', period: '2026-10-31', currency: 'EUR' };
      const payload = Buffer.from(JSON.stringify({ ...claims, raw_value: '2' }));
      const signature = await new CompactSign(payload)
        .setProtectedHeader({ alg: 'ES256', kid: 'auditor' })
        .sign(privateKey);
      // The record gets the stored currency of the metric, and the signature contains the same currency.
      const record = value({ raw_value: 2, source: { ...source, signature }, ...more });
      await world.push([record]);
      expect(await world.newest()).toMatchObject({
        source: { method: 'upload' },
        verification: { verified: isVerified },
      });
      const other = { ...record, raw_value: 3 };
      const isSigned = 'signature' in record.source && record.source.signature !== undefined;
      if (isSigned) await expectRefusal(world.push([other]), 'invalid_records');
      // An unchanged value isn't verified again, so the removal of its signer doesn't matter.
      await world.operator.removeUpstreamSigner({ companyId, kid: 'auditor' });
      expect(await world.push([record])).toMatchObject({ unchanged: 1 });
    },
  );

  test.each([
    [{ raw_value: undefined, value: '5%' }, ['raw_value']],
    [{ source: 'Qonto' }, ['source.system', 'source.last_synced']],
  ])('is refused with %j, and the error lists the missing fields', async (more, params) => {
    const { push } = await withContact();
    const { details } = await expectRefusal(push([value(more)]), 'invalid_records');
    expect(details.records).toMatchObject(params.map((param) => ({ param })));
  });

  test('is refused with data_changed if another push changes the data at the same time', async () => {
    let isRaced = false;
    const world = await withContact(({ companyData, imports }) => ({
      imports: {
        ...imports,
        async transact(opening, work) {
          if (!isRaced) return imports.transact(opening, work);
          isRaced = false;
          await world.pushByProgram([value({ key: 'mrr' })]);
          return imports.transact(opening, work);
        },
      },
      companyData,
    }));
    await world.push([value()]);
    isRaced = true;
    await expectRefusal(world.push([value({ raw_value: 2 })]), 'data_changed');
    expect(await world.push([value({ raw_value: 2 })])).toMatchObject({ revised: 1 });
  });
});

describe('the marks for a contact’s unusual values', () => {
  const marksOf = async (
    { preview }: Pick<Awaited<ReturnType<typeof withContact>>, 'preview'>,
    more: object,
  ) => (await preview([value({ currency: 'EUR', raw_value: 100, ...more })])).metrics[0]?.marks;

  // The clock of these tests shows 2 November 2026.
  test.each([
    [{ period: '2026-11-02' }, []],
    [{ period: '2026-11-03' }, ['future']],
    [{ period: '2062-10-31' }, ['future']],
    [{ period: '2016-11-02' }, []],
    [{ period: '2016-11-01' }, ['old']],
    [{ period: '0026-10-31' }, ['old']],
    [{ raw_value: 101 }, []],
    [{ raw_value: 4_999 }, []],
    [{ raw_value: 5_000 }, ['factor']],
    [{ raw_value: -5_000 }, ['factor']],
    [{ raw_value: 2 }, ['factor']],
    [{ raw_value: 2.01 }, []],
    [{ raw_value: 0 }, []],
    [{ period: '2026-09-30', raw_value: 1 }, ['factor']],
    [{ period: '2025-09-30', raw_value: 1 }, ['factor']],
    [{ currency: 'USD' }, ['currency']],
    [{ raw_value: 101, as_of: '2026-10-31T00:00:00Z' }, []],
    [{ raw_value: 101, as_of: '2026-10-30T23:59:59Z' }, ['as_of']],
    [{ raw_value: 101, as_of: '2027-10-31T00:00:00Z' }, ['as_of']],
    [{ raw_value: 101, source: { ...source, last_synced: '2026-09-01T00:00:00Z' } }, []],
    [{ key: 'ARR' }, ['case']],
    [{ key: 'arr2' }, []],
    [{ key: '1-Mar' }, ['date']],
    [{ key: '1-mar-26' }, ['date']],
    [{ key: 'Okt.2026' }, ['date']],
    [{ key: '2026-10' }, ['date']],
    [{ key: '2026-10-31' }, ['date']],
    [{ key: '1.3.2026' }, ['date']],
    [{ key: '1-2' }, ['date']],
    [{ key: 'march-2026' }, []],
    [{ key: 'cac-12' }, []],
    [
      { period: '2026-12-31', raw_value: 1, currency: 'USD', as_of: '2026-10-31T00:00:00Z' },
      ['future', 'factor', 'currency', 'as_of'],
    ],
  ])(
    'depend on the value’s period and its distance from the stored values: %j gets %j',
    async (more, marks) => {
      const world = await withStored({ raw_value: 100 });
      expect(await marksOf(world, more)).toEqual(marks);
    },
  );

  test('are returned together with the stored values that caused them', async () => {
    const { preview } = await withStored();
    const { metrics } = await preview([
      value({ period: '2026-09-30' }),
      value({ raw_value: 2 }),
      value({ key: 'mrr' }),
    ]);
    expect(metrics.map(({ known, before }) => [known?.period, before?.period])).toEqual([
      [undefined, '2026-10-31'],
      ['2026-10-31', '2026-10-31'],
      [undefined, undefined],
    ]);
  });

  test('are missing if the value is unchanged, or if a later record of the push replaces it', async () => {
    const { push, preview } = await withContact();
    const old = value({ period: '1990-01-31' });
    await push([old], { ticked: [0] });
    const { metrics } = await preview([
      old,
      value({ period: '2062-10-31' }),
      value({ period: '2062-10-31' }),
    ]);
    expect(metrics.map(({ change, marks }) => [change, marks])).toEqual([
      ['unchanged', []],
      ['repeated', []],
      ['created', ['future']],
    ]);
  });

  test('make a push skip the value unless the contact confirms its last record', async () => {
    const { push, metrics } = await withContact();
    const future = (raw_value: number, period = '2062-10-31') => value({ period, raw_value });
    const records = [future(1), future(2), value({ key: 'mrr' }), future(3, '2061-10-31')];
    expect(await push(records)).toMatchObject({ created: 1, leftOut: 2 });
    expect(await metrics()).toMatchObject([{ key: 'mrr' }]);
    expect(await push(records, { ticked: [0, 3] })).toMatchObject({ created: 1, leftOut: 1 });
    expect(await push(records, { ticked: [1] })).toMatchObject({
      ...{ created: 1, revised: 0, unchanged: 2, leftOut: 0 },
    });
    expect(await metrics()).toMatchObject([{ rawValue: '2' }, { key: 'mrr' }]);
  });

  test('make a push change nothing if its only value is marked and not confirmed', async () => {
    const { push, metrics } = await withContact();
    const records = [value({ period: '2062-10-31' })];
    expect(await push(records, { dryRun: true })).toMatchObject({ created: 0, leftOut: 1 });
    expect(await push(records)).toMatchObject({ created: 0, leftOut: 1 });
    expect(await metrics()).toEqual([]);
  });

  test('make the service refuse an idempotency key that is reused with different confirmations', async () => {
    const { push } = await withContact();
    const records = [value({ period: '2062-10-31' })];
    expect(await push(records, { idempotencyKey: 'a' })).toMatchObject({ created: 0 });
    const again = push(records, { idempotencyKey: 'a', ticked: [0] });
    await expectRefusal(again, 'idempotency_key_reused');
  });

  test('are set only for values, and never for sources or accounts', async () => {
    const { push, preview } = await withContact();
    const account = {
      ...{ type: 'account', provider: 'Qonto', name: 'Main', account_type: 'bank' },
      ...{ currency: 'EUR', raw_balance: 1, last_synced_at: source.last_synced },
    };
    expect(await preview([account])).toMatchObject({ metrics: [], problems: [] });
    expect(await push([account, value({ period: '2062-10-31' })])).toMatchObject({
      ...{ created: 1, leftOut: 1 },
    });
  });
});
