import type { Account, PortfolioCompany, Source } from '#core';

export function presentCompany({ id, name, access, grant, newestRequestId }: PortfolioCompany) {
  return {
    id,
    name,
    access,
    accessRequestId: newestRequestId,
    grant: grant && {
      approvedScopes: [...grant.approvedScopes],
      expiresAt: grant.expiresAt.toISOString(),
    },
  };
}

export function presentSource(source: Source) {
  return {
    companyId: source.companyId,
    provider: source.provider,
    status: source.status,
    accountName: source.accountName,
    lastSyncedAt: source.lastSyncedAt.toISOString(),
  };
}

export function presentAccount(account: Account) {
  return {
    id: account.id,
    companyId: account.companyId,
    provider: account.provider,
    name: account.name,
    type: account.type,
    currency: account.currency,
    balance: account.balance,
    rawBalance: account.rawBalance,
    lastFour: account.lastFour,
    lastSyncedAt: account.lastSyncedAt.toISOString(),
  };
}
