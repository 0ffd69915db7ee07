import { expect, test } from 'vitest';
import type { Metric } from '#core';
import { presentMetric } from '#http';

const instant = new Date('2026-10-31T12:00:00.000Z');
const shown = instant.toISOString();
/** The answers must not contain this additional field. */
const more = { secret: 'not for callers' };

// The metrics of other tests have no signature of their source.
test('a metric in a response has exactly these fields, with or without each kind of signature', () => {
  const metric = {
    companyId: 'co_1',
    key: 'mrr',
    label: 'MRR',
    currency: 'USD',
    period: '2026-10-31',
    confidence: 'high',
    value: '$7',
    rawValue: '7',
    category: 'revenue',
    revision: 2,
  };
  const source = { system: 'Billing', method: 'api', lastSynced: shown };
  const signature = {
    verified: true,
    signed: true,
    signature: 'a.b.c',
    publicKeyUrl: 'https://access.example/.well-known/jwks.json',
    revision: 2,
    signedAt: shown,
  };
  const verifications = [
    { verified: false, signed: false },
    { verified: true, signed: false, sourceSignature: 'd.e.f' },
    signature,
    { ...signature, sourceSignature: 'd.e.f' },
  ];
  for (const verification of verifications) {
    const row = {
      ...metric,
      ...more,
      asOf: instant,
      source: { ...source, ...more, lastSynced: instant },
      verification: { ...verification, ...more, signedAt: instant },
    } as unknown as Metric;
    expect(presentMetric(row)).toStrictEqual({ ...metric, asOf: shown, source, verification });
  }
});
