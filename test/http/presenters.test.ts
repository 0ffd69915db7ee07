import { expect, test } from 'vitest';
import type { Account, Metric, PortfolioCompany, Source } from '#core';
import { presentAccount, presentCompany, presentMetric, presentSource } from '#http';

const instant = new Date('2026-10-31T12:00:00.000Z');
const shown = instant.toISOString();
/** An additional field, which no caller may see. */
const more = { secret: 'not for callers' };

test('a presented account has these fields and no others', () => {
  const account = {
    id: 'acc_1',
    companyId: 'co_1',
    provider: 'Bank',
    name: 'Operating',
    type: 'bank',
    currency: 'USD',
    balance: '$1.50',
    rawBalance: '1.5',
    lastFour: null,
  };
  const row = { ...account, ...more, lastSyncedAt: instant } as unknown as Account;
  expect(presentAccount(row)).toStrictEqual({ ...account, lastSyncedAt: shown });
});

test('a presented source has these fields and no others', () => {
  const source = { companyId: 'co_1', provider: 'Bank', status: 'connected', accountName: 'Main' };
  const row = { ...source, ...more, lastSyncedAt: instant } as unknown as Source;
  expect(presentSource(row)).toStrictEqual({ ...source, lastSyncedAt: shown });
});

test('a presented company has these fields and no others, with a grant or without', () => {
  const company = { id: 'co_1', name: 'Harbor', access: 'approved' };
  const grant = { approvedScopes: ['metrics:read'], expiresAt: shown };
  const present = (row: object) => presentCompany({ ...company, ...row } as PortfolioCompany);
  const granted = { newestRequestId: 'ar_1', grant: { ...grant, ...more, expiresAt: instant } };
  expect(present({ ...more, ...granted })).toStrictEqual({
    ...company,
    accessRequestId: 'ar_1',
    grant,
  });
  const none = { access: 'none', grant: null };
  expect(present({ ...none, newestRequestId: null })).toStrictEqual({
    ...company,
    ...none,
    accessRequestId: null,
  });
});

test('a presented metric has these fields and no others, with or without each kind of signature', () => {
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
