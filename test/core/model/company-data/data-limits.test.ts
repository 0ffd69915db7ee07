import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findExcess, type LimitedKind, limitedItemOf, maxPerCompany } from '#core';
import { aMetric, metricRecord, revisionRecord } from '../../../contracts/builders.ts';

const lastSyncedAt = new Date('2026-11-01T04:00:00.000Z');
const provider = 'mercury';
const companyId = 'co_harbor';
const kinds = Object.keys(maxPerCompany) as LimitedKind[];

const source = (accountName: string, from = provider) =>
  limitedItemOf({
    type: 'source',
    source: {
      companyId,
      provider: from,
      accountName,
      status: 'connected',
      lastSyncedAt,
      expectedEvery: null,
      staleAt: null,
    },
  });

describe('the item that a record counts as, for the limits of stored data', () => {
  test('is a source with a different name for each pair of provider and account name, whatever characters they contain', () => {
    expect(source('Operating')).toEqual(source('Operating'));
    fc.assert(
      fc.property(
        fc.tuple(fc.string(), fc.string()),
        fc.tuple(fc.string(), fc.string()),
        (a, b) => {
          const same = a[0] === b[0] && a[1] === b[1];
          expect(source(a[1], a[0])?.name === source(b[1], b[0])?.name).toBe(same);
        },
      ),
    );
  });

  test('is the metric if the record is a value or a revision of a value', () => {
    const metric = aMetric({ id: companyId }, { key: 'arr' });
    const limited = { kind: 'metrics', name: 'arr' };
    expect(limitedItemOf(metricRecord(metric))).toEqual(limited);
    expect(limitedItemOf(revisionRecord(metric))).toEqual(limited);
  });

  test('is null for a company or a portfolio membership, because no limit applies to these records', () => {
    const company = { id: companyId, name: 'Harbor', environment: 'live' } as const;
    expect(limitedItemOf({ type: 'company', company })).toBeNull();
    const membership = { investorId: 'inv_1', companyId };
    expect(limitedItemOf({ type: 'portfolio', membership })).toBeNull();
  });
});

describe('the check of the limits for stored data', () => {
  const counts = fc.record(
    Object.fromEntries(kinds.map((kind) => [kind, fc.integer({ min: 0, max: 3_000 })])) as Record<
      LimitedKind,
      fc.Arbitrary<number>
    >,
  );
  const additions = fc.record(
    Object.fromEntries(
      kinds.map((kind) => [kind, fc.array(fc.string(), { maxLength: 2 })]),
    ) as Record<LimitedKind, fc.Arbitrary<string[]>>,
  );

  test('returns the first kind of data that grew beyond its limit', () => {
    fc.assert(
      fc.property(counts, additions, (totals, added) => {
        const excessive = kinds.filter(
          (kind) => added[kind].length > 0 && totals[kind] > maxPerCompany[kind],
        );
        expect(findExcess({ totals: totals, added })).toBe(excessive[0] ?? null);
      }),
    );
  });

  test('returns null if the grown kind is exactly at its limit, or if the kind above its limit didn’t grow', () => {
    const none = { metrics: [], sources: [], accounts: [] };
    const one = { ...none, accounts: ['acc_1'] };
    const most = { ...maxPerCompany };
    expect(findExcess({ added: one, totals: most })).toBeNull();
    const more = { ...maxPerCompany, accounts: maxPerCompany.accounts + 1 };
    expect(findExcess({ added: none, totals: more })).toBeNull();
    expect(findExcess({ added: one, totals: more })).toBe('accounts');
  });
});
