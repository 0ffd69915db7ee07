import type { Account } from '#core';

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
