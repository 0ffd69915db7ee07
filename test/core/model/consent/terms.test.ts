import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccessTerms,
  accessUses,
  allowsMetric,
  fillTerms,
  isSameTerms,
  isWithinTerms,
  maxTermKeys,
  namedTerms,
  noLimits,
  type PartialTerms,
  parseInput,
  simplifyTerms,
  type TermsInput,
  termsInput,
  uniteTerms,
} from '#core';
import { anyTerms, arrTerms, termKeys, termPeriods } from '../../builders.ts';
import { expectRefusal } from '../../world.ts';

type Terms = AccessTerms | null;

/** Every read that terms can distinguish: each use, metric and period, including some that no terms name. */
const reads = accessUses.flatMap((use) =>
  [...termKeys, 'other'].flatMap((key) =>
    [...termPeriods, '1999-12-31'].map((period) => ({ use, key, period })),
  ),
);

const allows = (terms: Terms, { use, key, period }: (typeof reads)[number]) =>
  terms === null ||
  ((terms.use === 'ongoing' || use === 'once') &&
    (terms.metricKeys === null || terms.metricKeys.some((each) => each === key)) &&
    (terms.historyFrom === null || terms.historyFrom <= period));

describe('terms', () => {
  test('are within other terms exactly if they allow no read that the others forbid', () => {
    fc.assert(
      fc.property(anyTerms, anyTerms, (inner, outer) => {
        const isWithin = reads.every((read) => !allows(inner, read) || allows(outer, read));
        expect(isWithinTerms(inner, outer)).toBe(isWithin);
      }),
      { numRuns: 2000 },
    );
  });

  test('are the same if each is within the other, and only the same terms have the same key', () => {
    fc.assert(
      fc.property(anyTerms, anyTerms, (one, other) => {
        const isBoth = isWithinTerms(one, other) && isWithinTerms(other, one);
        expect(isSameTerms(one, other)).toBe(isBoth);
        if (isBoth) expect(one).toEqual(other);
      }),
      { numRuns: 2000 },
    );
  });

  test('unite to the narrowest terms that allow everything that either of them allows', () => {
    fc.assert(
      fc.property(anyTerms, anyTerms, anyTerms, (one, other, bound) => {
        const united = uniteTerms(one, other);
        expect(united).toEqual(uniteTerms(other, one));
        expect(isWithinTerms(one, united) && isWithinTerms(other, united)).toBe(true);
        const isBound = isWithinTerms(one, bound) && isWithinTerms(other, bound);
        if (isBound) expect(isWithinTerms(united, bound)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('allow exactly their metrics, or every metric', () => {
    expect(['arr', 'ARR', 'ar'].filter((key) => allowsMetric(arrTerms(), key))).toEqual(['arr']);
    expect(allowsMetric(null, 'arr') && allowsMetric(noLimits, 'arr')).toBe(true);
  });
});

describe('the input of terms', () => {
  const once = { ...noLimits, use: 'once' } as const;
  const both = arrTerms({ metricKeys: ['arr', 'cash'], historyFrom: '2026-01-31' });
  test.each<[what: string, PartialTerms, base: Terms, filled: Terms]>([
    ['nothing, so nothing is limited', {}, null, null],
    ['nothing, so the terms stay', {}, both, both],
    ['one member, and the others are unlimited', { use: 'once' }, null, once],
    [
      'one member, and the others stay',
      { metricKeys: ['arr'] },
      both,
      { ...both, ...arrTerms(), historyFrom: '2026-01-31' },
    ],
    ['every member as unlimited', noLimits, both, null],
  ])('can name %s', (_what, named, base, filled) => {
    expect(fillTerms(named, base)).toEqual(filled);
  });

  test.each<[TermsInput | null, PartialTerms]>([
    [null, {}],
    [{ use: null, metricKeys: null, historyFrom: null }, {}],
    [{ metricKeys: ['cash', 'arr', 'cash'] }, { metricKeys: ['arr', 'cash'] }],
    [
      { use: 'ongoing', historyFrom: '2026-01-31' },
      { use: 'ongoing', historyFrom: '2026-01-31' },
    ],
  ])('keeps only members with a value, with sorted metrics: %j', (input, named) => {
    expect(namedTerms(input)).toEqual(named);
  });

  const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);
  test.each([
    { metricKeys: [] },
    { metricKeys: keys(maxTermKeys + 1) },
    { metricKeys: ['a b'] },
    { historyFrom: '2026-02-30' },
    { historyFrom: '0000-01-01' },
    { use: 'twice' },
    { until: '2026-01-31' },
  ])('is refused: %j', async (input) => {
    await expectRefusal(() => parseInput(termsInput, input), 'invalid_parameter');
  });

  test(`can name ${maxTermKeys} metrics`, () => {
    const input = { metricKeys: keys(maxTermKeys) };
    expect(parseInput(termsInput, input)).toEqual(input);
    expect(simplifyTerms({ ...noLimits, ...namedTerms(input) })?.metricKeys).toHaveLength(200);
  });
});
