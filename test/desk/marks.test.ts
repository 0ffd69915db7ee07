import { expect, it } from 'vitest';
import type { MetricRevision } from '#core';
import { marksOf } from '../../desk/plot/marks.ts';

/** A period, its date of delivery, and the amount (1 by default). A null amount voids the value. */
type Delivered = readonly [period: string, delivered: string, rawValue?: string | null];

/** Returns each value's marks, oldest value first. */
function marksAt(...values: readonly Delivered[]) {
  const revisions = values.map(([period, delivered, rawValue = '1']) => ({
    ...{ period, rawValue, currency: 'USD' },
    source: { system: 'ledger', method: 'api', lastSynced: new Date(delivered) },
  }));
  return Object.fromEntries(marksOf(revisions as unknown as MetricRevision[]));
}

const months: readonly Delivered[] = [
  ['2026-01-31', '2026-02-02'],
  ['2026-02-28', '2026-03-02'],
  ['2026-03-31', '2026-04-02'],
];

it('a value has no mark if it was delivered soon after its period', () => {
  expect(marksAt(...months)).toEqual({});
});

it('a value is marked as late if it arrived long after the end of the next period', () => {
  expect(marksAt(...months, ['2026-04-30', '2026-05-31'])).toEqual({});
  expect(marksAt(...months, ['2026-04-30', '2026-06-30'])).toEqual({ '2026-04-30': ['late'] });
});

it('a daily value is marked as late if it arrived more than four days after its period', () => {
  const days: readonly Delivered[] = [
    ['2026-11-02', '2026-11-02'],
    ['2026-11-03', '2026-11-03'],
  ];
  expect(marksAt(...days, ['2026-11-04', '2026-11-08'])).toEqual({});
  expect(marksAt(...days, ['2026-11-04', '2026-11-09'])).toEqual({ '2026-11-04': ['late'] });
});

it('values in a metric’s first delivery aren’t late, because a company may start with old periods', () => {
  const start = '2026-06-15';
  expect(
    marksAt(['2026-01-31', start], ['2026-02-28', '2026-09-01'], ['2026-03-31', start]),
  ).toEqual({ '2026-02-28': ['late'] });
});

it('a changed value is marked as corrected, and is late only if its first delivery was late', () => {
  expect(marksAt(...months, ['2026-03-31', '2026-12-01', '2'])).toEqual({
    '2026-03-31': ['corrected'],
  });
  expect(
    marksAt(...months, ['2026-04-30', '2026-12-01'], ['2026-04-30', '2026-12-02', '2']),
  ).toEqual({ '2026-04-30': ['corrected', 'late'] });
});

it('a value isn’t marked if it was delivered again without a change', () => {
  expect(marksAt(...months, ['2026-03-31', '2026-12-01'])).toEqual({});
});

it('a value that replaced a voided value is marked as corrected', () => {
  expect(
    marksAt(...months, ['2026-03-31', '2026-04-03', null], ['2026-03-31', '2026-04-04']),
  ).toEqual({ '2026-03-31': ['corrected'] });
});

it('a metric without values has no marks', () => {
  expect(marksAt()).toEqual({});
});
