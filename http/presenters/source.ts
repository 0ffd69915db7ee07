import type { Source } from '#core';

export function presentSource(source: Source) {
  return {
    companyId: source.companyId,
    provider: source.provider,
    status: source.status,
    accountName: source.accountName,
    lastSyncedAt: source.lastSyncedAt.toISOString(),
  };
}
