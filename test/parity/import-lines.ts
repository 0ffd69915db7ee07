import type { NormalizedAccount, NormalizedMetric, NormalizedSource } from './drivers/driver.ts';

/** Returns lines after whose import the company has exactly this data. */
export function linesOf(
  companyId: string,
  data: {
    readonly metrics: readonly NormalizedMetric[];
    readonly sources: readonly NormalizedSource[];
    readonly accounts: readonly NormalizedAccount[];
  },
): object[] {
  return [
    ...data.metrics.map(lineOfMetric),
    ...data.sources.map((source) => lineOfSource(companyId, source)),
    ...data.accounts.map(lineOfAccount),
  ];
}

/** Writes the text as a JSON number without changing a digit. */
const exactly = (amount: string) => JSON.rawJSON(amount);

function lineOfMetric({
  companyId,
  rawValue,
  source,
  asOf,
  verification,
  ...same
}: NormalizedMetric) {
  return {
    ...same,
    type: 'metric',
    company_id: companyId,
    source: { system: source.system, method: source.method, last_synced: source.lastSynced },
    verification: { verified: verification.verified },
    raw_value: exactly(rawValue),
    as_of: asOf,
  };
}

function lineOfSource(companyId: string, { provider, status, ...rest }: NormalizedSource) {
  return {
    type: 'source',
    company_id: companyId,
    provider,
    status,
    account_name: rest.accountName,
    last_synced_at: rest.lastSyncedAt,
  };
}

function lineOfAccount({
  companyId,
  type,
  rawBalance,
  lastFour,
  lastSyncedAt,
  ...same
}: NormalizedAccount) {
  return {
    ...same,
    type: 'account',
    company_id: companyId,
    account_type: type,
    raw_balance: exactly(rawBalance),
    last_four: lastFour,
    last_synced_at: lastSyncedAt,
  };
}
