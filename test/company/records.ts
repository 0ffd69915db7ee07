import type { GrantableScope } from '#core';
import type { TestService } from '../support/service.ts';
import { base } from './company.ts';

export const dataPath = `${base}/data`;

const synced = '2026-11-01T04:00:00Z';

export const metric = (key: string, rawValue: unknown, more: object = {}) => ({
  type: 'metric',
  key,
  currency: 'USD',
  period: '2026-10-31',
  source: { system: 'QuickBooks', method: 'api', last_synced: synced },
  verification: { verified: true },
  raw_value: rawValue,
  ...more,
});

export const source = (more: object = {}) => ({
  type: 'source',
  provider: 'QuickBooks',
  status: 'connected',
  account_name: 'Ledger',
  last_synced_at: synced,
  ...more,
});

export const account = (more: object = {}) => ({
  type: 'account',
  provider: 'QuickBooks',
  name: 'Main',
  account_type: 'ledger',
  currency: 'USD',
  raw_balance: 10.25,
  last_synced_at: synced,
  ...more,
});

/** A company with a key that pushes data, and an access request for these or all scopes. */
export async function requestWithPushKey(
  { fixtures, operator }: TestService,
  scopes?: readonly GrantableScope[],
) {
  const made = await fixtures.asking(scopes);
  const { secret: pushKey } = await operator.createCompanyKey({
    companyId: made.company.id,
    scopes: ['data:write'],
  });
  return { ...made, pushKey };
}
