import type { Metric, Verification } from '#core';

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
