import { describe, expect, test } from 'vitest';
import type { CompanyCaller, MetricRevision } from '#core';
import { sourceLine } from '../../builders.ts';
import { expectRefusal } from '../../world.ts';
import { importIn, parsed, value, withPusher } from './push-steps.ts';

const october = '2026-10-31';
const september = '2026-09-30';

const voidOf = (more: object = {}) => ({ type: 'void', key: 'arr', period: october, ...more });

async function withValue(records: readonly object[] = [value()]) {
  const { push, ...world } = await withPusher();
  const { companyId, companies, self } = world;
  await push(records);
  const contact = await world.admitContact(companyId);
  const enter = (entered: readonly object[], more: object = {}) =>
    push(entered, more, contact as CompanyCaller);
  const revisions = () => companies.readOwnMetricRevisions(contact, { key: 'arr' });
  const log = async () => {
    const { items } = await companies.listOwnSettingsChanges(contact);
    return items.filter(({ type }) => type === 'company_data.entered');
  };
  const entries = () => companies.listOwnMetricEntries(contact, { key: 'arr' });
  const bound = (source: string) => ({ ...self, source });
  return { ...world, push, contact, enter, revisions, log, entries, bound };
}

describe('the void of a value', () => {
  test('creates a signed revision without a value, and keeps the source of the value', async () => {
    const { push, metrics, revisions } = await withValue();
    const [before] = await revisions();
    expect(await push([voidOf({ reason: 'Wrong month' })])).toMatchObject({
      created: 0,
      revised: 1,
      unchanged: 0,
    });
    expect(await metrics()).toEqual([]);
    const [, voided] = await revisions();
    expect(voided).toMatchObject({
      revision: 2,
      rawValue: null,
      value: null,
      voidReason: 'Wrong month',
      currency: before?.currency,
      asOf: before?.asOf,
      source: before?.source,
      verification: { verified: false, signed: true },
    });
    expect(payloadOf(voided)).toMatchObject({ raw_value: null, revision: 2 });
  });

  test('makes the newest period with a remaining value the metric’s latest period', async () => {
    const { push, metrics, companies, contact } = await withValue([
      value(),
      value({ period: september, raw_value: 7 }),
    ]);
    await push([voidOf()]);
    expect(await metrics()).toMatchObject([{ period: september, rawValue: '7' }]);
    expect(await companies.readOwnMetricHistory(contact, { key: 'arr' })).toHaveLength(1);
  });

  test('is followed by a new revision if a value for the same period is pushed later', async () => {
    const { push, revisions } = await withValue();
    await push([voidOf()]);
    expect(await push([value({ raw_value: 3 })])).toMatchObject({ created: 0, revised: 1 });
    const told = await revisions();
    expect(told.map(({ revision, rawValue }) => [revision, rawValue])).toEqual([
      [1, '1'],
      [2, null],
      [3, '3'],
    ]);
  });

  test('changes nothing if the value is already voided, whatever the reason', async () => {
    const { push, revisions } = await withValue();
    await push([voidOf({ reason: 'Wrong month' })]);
    expect(await push([voidOf({ reason: 'Another reason' }), voidOf()])).toMatchObject({
      revised: 0,
      unchanged: 1,
    });
    expect(await revisions()).toHaveLength(2);
  });

  test.each([{ period: september }, { key: 'mrr' }])(
    'is refused if there is no stored value: %j',
    async (more) => {
      const { push, metrics } = await withValue();
      const { details } = await expectRefusal(push([value(), voidOf(more)]), 'invalid_records');
      expect(details.records).toEqual([
        { record: 1, param: 'period', message: 'has no value to void' },
      ]);
      expect(await metrics()).toHaveLength(1);
    },
  );

  test('is refused for a value from another source if the API key is bound to a source', async () => {
    const { push, bound } = await withValue();
    const { system } = value().source;
    const { details } = await expectRefusal(push([voidOf()], {}, bound('Xero')), 'invalid_records');
    expect(details.records).toEqual([
      {
        record: 0,
        param: 'period',
        message: `has a value from ${system}. This key can void only values from Xero`,
      },
    ]);
    expect(await push([voidOf()], {}, bound(system))).toMatchObject({ revised: 1 });
  });

  test('takes effect only as the last of several records for the same value', async () => {
    const { push, metrics } = await withValue();
    await push([voidOf(), value({ raw_value: 5 })]);
    expect(await metrics()).toMatchObject([{ rawValue: '5', revision: 2 }]);
    await push([sourceLine(), value({ raw_value: 6 }), voidOf()]);
    expect(await metrics()).toEqual([]);
  });

  test('changes nothing in a dry run, and runs once per idempotency key', async () => {
    const { push, revisions } = await withValue();
    expect(await push([voidOf()], { dryRun: true })).toMatchObject({ revised: 1 });
    expect(await revisions()).toHaveLength(1);
    const once = () => push([voidOf()], { idempotencyKey: 'void-1' });
    expect(await once()).toMatchObject({ revised: 1, replayed: false });
    expect(await once()).toMatchObject({ revised: 1, replayed: true });
    expect(await revisions()).toHaveLength(2);
  });

  test('makes a later value of the period new in an upload’s preview, without marks', async () => {
    const { push, contact, companies } = await withValue();
    await push([voidOf()]);
    const records = parsed([value({ raw_value: 2 })]);
    expect((await companies.previewPush(contact, { records })).metrics).toMatchObject([
      { change: 'created', known: null, before: null, marks: [] },
    ]);
  });

  test('can be imported as a line of a file', async () => {
    const { companyId, metrics, ...world } = await withValue();
    const line = (more: object = {}) => ({ ...voidOf(more), company_id: companyId });
    const { reasons } = await importIn(world, [line(), line({ period: september })]);
    expect(reasons).toEqual(['period: has no value to void']);
    const { result } = await importIn(world, [line()]);
    expect(result).toMatchObject({ updated: 1, problems: 0, signed: 1 });
    expect(await metrics()).toEqual([]);
  });
});

function payloadOf(revision: MetricRevision | undefined): unknown {
  if (!revision?.verification.signed) throw new Error('it is not signed');
  const [, payload = ''] = revision.verification.signature.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

describe('the log entry about data that a contact entered', () => {
  test('is written once with the counts and metrics of the data, and the new revisions refer to it', async () => {
    const { enter, log, entries, contact } = await withValue([value(), value({ key: 'mrr' })]);
    expect(await entries()).toEqual([]);
    const entered = [
      value({ period: september }),
      value({ raw_value: 2 }),
      voidOf({ key: 'mrr' }),
      value({ key: 'new' }),
    ];
    await enter(entered, { method: 'manual', reason: 'Late invoice' });
    const [entry, ...others] = await log();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      companyId: contact.companyId,
      actor: { type: 'contact', id: contact.contactId, name: contact.email },
      subject: { type: 'company', id: contact.companyId, name: contact.companyName },
      changes: {
        method: { from: null, to: 'manual' },
        reason: { from: null, to: 'Late invoice' },
        created: { from: null, to: 2 },
        revised: { from: null, to: 1 },
        voided: { from: null, to: 1 },
        metricKeys: { from: null, to: ['arr', 'mrr', 'new'] },
      },
    });
    const how = { method: 'manual', reason: 'Late invoice' };
    const told = { actor: entry?.actor, enteredAt: entry?.createdAt, ...how };
    expect(await entries()).toEqual([
      { period: september, revision: 1, ...told },
      { period: october, revision: 2, ...told },
    ]);
  });

  test('isn’t written if the entered data changes nothing or is refused, or for a dry run', async () => {
    const { enter, log } = await withValue();
    await enter([value()]);
    await enter([value({ raw_value: 2 })], { dryRun: true });
    await expectRefusal(enter([voidOf({ period: september })]), 'invalid_records');
    expect(await log()).toEqual([]);
  });

  test('contains no counts of zero and at most 50 metric keys', async () => {
    const { enter, log } = await withValue();
    await enter(Array.from({ length: 60 }, (_, index) => value({ key: `m${index}` })));
    const [entry] = await log();
    expect(Object.keys(entry?.changes ?? {})).toEqual(['method', 'created', 'metricKeys']);
    expect(entry?.changes.metricKeys?.to).toHaveLength(50);
  });

  test('is listed only for the contact’s revision, not for a program’s later correction', async () => {
    const { enter, push, entries } = await withValue();
    await enter([value({ raw_value: 2 })]);
    await push([value({ raw_value: 3 })]);
    expect(await entries()).toMatchObject([{ period: october, revision: 2 }]);
  });

  test('isn’t listed for an invalid metric key, and can’t be listed with an API key that lacks data:read', async () => {
    const { companies, contact, self } = await withValue();
    expect(await companies.listOwnMetricEntries(contact, { key: '!' })).toEqual([]);
    const refused = () => companies.listOwnMetricEntries(self, { key: 'arr' });
    await expectRefusal(refused, 'insufficient_scope');
  });
});
