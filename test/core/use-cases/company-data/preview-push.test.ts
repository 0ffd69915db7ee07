import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  type CompanyCaller,
  InputError,
  maxPerCompany,
  maxPushedRecords,
  maxUploadedRecords,
  valueChanges,
} from '#core';
import { sampleData } from '../../../support/fixtures.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { expectRefusal } from '../../world.ts';
import { withContact } from './contact-steps.ts';
import { parsed, signedRevision, value } from './push-steps.ts';

describe('the preview of a push', () => {
  test('reports a metric above the company’s limit with the same message as the push', async () => {
    const { push, preview } = await withContact();
    const make = (index: number) => value({ key: `m${index}` });
    await push(Array.from({ length: maxPerCompany.metrics - 1 }, (_, index) => make(index)));
    expect(await preview([make(0), make(9_000)])).toMatchObject({ problems: [] });
    const bad = value({ key: 'm1', raw_value: 'many' });
    const records = [make(9_001), make(9_002), make(9_003), make(0), bad];
    const { metrics, problems } = await preview(records);
    expect(problems).toMatchObject([
      { record: 2, message: expect.stringContaining('more than 2000 metrics') },
      { record: 4, param: 'raw_value' },
    ]);
    expect(metrics.map(({ record, change }) => [record, change])).toEqual([
      [0, 'created'],
      [1, 'created'],
      [3, 'unchanged'],
    ]);
    const { details } = await expectRefusal(push(records.slice(0, 4)), 'invalid_records');
    expect(details.records).toEqual(problems.slice(0, 1));
  });

  test('shows whether each value is new, changed or unchanged, together with the stored value', async () => {
    const { push, preview, companies, self } = await withContact();
    await push([value(), value({ period: '2026-09-30', raw_value: 7 })]);
    const { metrics, problems } = await preview([
      value({ raw_value: 2 }),
      value({ period: '2026-09-30', raw_value: 7 }),
      value({ period: '2026-11-30' }),
      value({ key: 'mrr' }),
    ]);
    expect(problems).toEqual([]);
    const told = metrics.map(({ record, change, known, differences }) => [
      ...[record, change, known?.rawValue, differences],
    ]);
    expect(told).toEqual([
      [0, 'revised', '1', ['raw_value']],
      [1, 'unchanged', '7', []],
      [2, 'created', undefined, []],
      [3, 'created', undefined, []],
    ]);
    expect(metrics[0]).toMatchObject({ metric: { rawValue: '2' }, known: { revision: 1 } });
    expect(await companies.readOwnMetricHistory(self, { key: 'arr' })).toHaveLength(2);
  });

  test.each([
    { raw_value: 2 },
    { currency: 'USD' },
    { label: 'Annual recurring revenue' },
    { category: 'revenue' },
  ])('treats a value with another %j as changed', async (more) => {
    const { push, changes } = await withContact();
    await push([value()]);
    expect(await changes([value(more)])).toEqual(['revised']);
    expect(await push([value(more)], { ticked: [0] })).toMatchObject({ revised: 1 });
  });

  test('shows the stored name of a metric if the record has no name, even for another period', async () => {
    const { push, preview } = await withContact();
    await push([value({ label: 'Annual recurring revenue', category: 'growth' })]);
    const { metrics } = await preview([value(), value({ period: '2020-01-31' })]);
    expect(
      metrics.map(({ change, metric: { label, category } }) => [change, label, category]),
    ).toEqual([
      ['unchanged', 'Annual recurring revenue', 'growth'],
      ['created', 'Annual recurring revenue', 'growth'],
    ]);
  });

  test('shows a metric’s name from one record in its other records without a name', async () => {
    const { push, preview } = await withContact();
    await push([value({ label: 'Old' })]);
    const records = [value({ raw_value: 2 }), value({ period: '2026-09-30', label: 'New' })];
    for (const ordered of [records, records.toReversed()]) {
      const { metrics } = await preview(ordered);
      expect(metrics.map(({ metric }) => metric.label)).toEqual(['New', 'New']);
    }
  });

  test('compares only the last of several records for one value with the stored value', async () => {
    const { push, changes } = await withContact();
    await push([value()]);
    expect(await changes([value({ raw_value: 2 }), value()])).toEqual(['repeated', 'unchanged']);
  });

  test('reports the problems of invalid records and shows the changes of valid records', async () => {
    const { push, preview, companyId } = await withContact();
    await push([value()]);
    const { metrics, problems } = await preview([
      value({ raw_value: 2 }),
      value({ key: '' }),
      ...sampleData(companyId).slice(-1),
    ]);
    expect(problems).toEqual([{ record: 1, param: 'key', message: 'is not a metric key' }]);
    expect(metrics.map(({ record }) => record)).toEqual([0]);
    expect(await preview([value({ key: '' })])).toMatchObject({ metrics: [] });
  });

  test('treats exported revisions as plain values, because contacts can’t push revisions', async () => {
    const { push, changes, metrics } = await withContact();
    await push([value()]);
    const revisions = [await signedRevision(1), await signedRevision(2)];
    expect(await changes(revisions)).toEqual(['repeated', 'revised']);
    expect(await push(revisions)).toMatchObject({ revised: 1 });
    expect(await changes(revisions)).toEqual(['repeated', 'unchanged']);
    expect(await metrics()).toMatchObject([{ revision: 2, source: { method: 'upload' } }]);
  });

  test('reads only the data of the caller’s company', async () => {
    const { companies, self, companyId, ports } = await withContact();
    const transact = vi.spyOn(ports.imports, 'transact');
    await companies.previewPush(self, { records: parsed([value()]) });
    expect(transact.mock.calls.map(([opening]) => opening.companyId)).toEqual([companyId]);
  });

  test('predicts how many values the push creates, revises and leaves unchanged', async () => {
    const one = <T>(...of: T[]) => fc.constantFrom(...of);
    const record = fc
      .record({
        key: one('arr', 'mrr'),
        period: one('2026-09-30', '2026-10-31'),
        raw_value: one(1, 2),
        label: one('A', 'B', undefined),
        category: one('other', 'revenue'),
        confidence: one('low', 'high'),
      })
      .map(value);
    const records = fc.array(record, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(records, records, async (before, after) => {
        const { push, changes } = await withContact();
        await push(before);
        const told = await changes(after);
        const count = (change: (typeof valueChanges)[number]) =>
          told.filter((each) => each === change).length;
        const [created, revised, unchanged] = valueChanges.map(count);
        expect(await push(after)).toMatchObject({ created, revised, unchanged });
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('doesn’t block the process while it checks thousands of records', async () => {
    const { companies, self } = await withContact();
    const records = parsed([value()]);
    const many = Array.from({ length: maxUploadedRecords }, () => records[0]);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await companies.previewPush(self, { records: many });
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(maxUploadedRecords / 100);
    expect(turns).toBeLessThan(maxUploadedRecords / 10);
  });

  test('requires the scope data:write', async () => {
    const { companies, self } = await withContact();
    const reader: CompanyCaller = { ...self, scopes: ['consents:manage', 'data:read'] };
    await expectRefusal(
      (async () => companies.previewPush(reader, { records: parsed([value()]) }))(),
      'insufficient_scope',
    );
  });
});

describe('a push after its preview', () => {
  test('changes nothing if the data has changed since the preview', async () => {
    const { push, preview, changes } = await withContact();
    const { seenVersion } = await preview([value()]);
    await push([value({ key: 'mrr' })]);
    await expectRefusal(push([value()], { seenVersion }), 'data_changed');
    expect(await changes([value()])).toEqual(['created']);
    const anew = await preview([value()]);
    expect(await push([value()], { seenVersion: anew.seenVersion })).toMatchObject({ created: 1 });
  });

  test('changes data only once, even if the contact sends its form several times', async () => {
    const { push, preview } = await withContact();
    const { seenVersion } = await preview([value()]);
    const more = { seenVersion, idempotencyKey: 'form_1' };
    expect(await push([value()], more)).toMatchObject({ created: 1, replayed: false });
    expect(await push([value()], more)).toMatchObject({ created: 1, replayed: true });
  });

  test('can have more records from a contact than from a program', async () => {
    const { push, companies, self } = await withContact();
    const many = (count: number) => Array.from({ length: count }, () => value());
    expect(await push(many(maxPushedRecords + 1))).toMatchObject({ created: 1 });
    await expect(push(many(maxUploadedRecords + 1))).rejects.toThrow(InputError);
    const program = { ...self, kind: 'company' as const };
    const records = parsed(many(maxPushedRecords + 1));
    await expect(companies.pushRecords(program, { records })).rejects.toThrow(InputError);
  });
});
