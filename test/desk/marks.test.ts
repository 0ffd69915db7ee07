import { expect, it } from 'vitest';
import type { MetricRevision } from '#core';
import { marksOf } from '../../desk/plot/marks.ts';

/** A value, the day of its delivery, and the amount if it isn't 1. Null: voided. */
type Delivered = readonly [period: string, delivered: string, rawValue?: string | null];

/** Returns the marks of the values, oldest first. */
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

it('marks no value that was delivered soon after its period', () => {
  expect(marksAt(...months)).toEqual({});
});

it('marks a value as late if the next period had ended long before it arrived', () => {
  expect(marksAt(...months, ['2026-04-30', '2026-05-31'])).toEqual({});
  expect(marksAt(...months, ['2026-04-30', '2026-06-30'])).toEqual({ '2026-04-30': ['late'] });
});

it('marks a daily value as late after four days', () => {
  const days: readonly Delivered[] = [
    ['2026-11-02', '2026-11-02'],
    ['2026-11-03', '2026-11-03'],
  ];
  expect(marksAt(...days, ['2026-11-04', '2026-11-08'])).toEqual({});
  expect(marksAt(...days, ['2026-11-04', '2026-11-09'])).toEqual({ '2026-11-04': ['late'] });
});

it('counts from the first delivery, because a company may start with earlier periods', () => {
  const start = '2026-06-15';
  expect(
    marksAt(['2026-01-31', start], ['2026-02-28', '2026-09-01'], ['2026-03-31', start]),
  ).toEqual({ '2026-02-28': ['late'] });
});

it('marks a changed value as corrected, and judges its first delivery', () => {
  expect(marksAt(...months, ['2026-03-31', '2026-12-01', '2'])).toEqual({
    '2026-03-31': ['corrected'],
  });
  expect(
    marksAt(...months, ['2026-04-30', '2026-12-01'], ['2026-04-30', '2026-12-02', '2']),
  ).toEqual({ '2026-04-30': ['corrected', 'late'] });
});

it('doesn’t mark a value that was only delivered again', () => {
  expect(marksAt(...months, ['2026-03-31', '2026-12-01'])).toEqual({});
});

it('marks a value that replaced a voided one', () => {
  expect(
    marksAt(...months, ['2026-03-31', '2026-04-03', null], ['2026-03-31', '2026-04-04']),
  ).toEqual({ '2026-03-31': ['corrected'] });
});

it('marks nothing without values', () => {
  expect(marksAt()).toEqual({});
});
