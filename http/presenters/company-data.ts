import type { Account, Metric, PortfolioCompany, Source, Verification } from '#core';

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

export function presentMetric(metric: Metric) {
  const { source, verification } = metric;
  return {
    companyId: metric.companyId,
    key: metric.key,
    label: metric.label,
    currency: metric.currency,
    period: metric.period,
    source: {
      system: source.system,
      method: source.method,
      lastSynced: source.lastSynced.toISOString(),
    },
    verification: presentVerification(verification),
    confidence: metric.confidence,
    value: metric.value,
    rawValue: metric.rawValue,
    category: metric.category,
    asOf: metric.asOf.toISOString(),
    revision: metric.revision,
  };
}

function presentVerification(verification: Verification) {
  const { verified, sourceSignature } = verification;
  const ofSource = { verified, ...(sourceSignature !== undefined && { sourceSignature }) };
  if (!verification.signed) return { ...ofSource, signed: false as const };
  return {
    ...ofSource,
    signed: true as const,
    signature: verification.signature,
    publicKeyUrl: verification.publicKeyUrl,
    revision: verification.revision,
    signedAt: verification.signedAt.toISOString(),
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
