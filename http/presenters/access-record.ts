import type { OwnRecord } from '#core';

/** A record as the investor sees it whose key asked. */
export function presentOwnRecord({ record, keyHint, company }: OwnRecord) {
  return {
    id: record.id,
    occurredAt: record.occurredAt.toISOString(),
    requestId: record.requestId,
    protocol: record.protocol,
    company: company && { id: company.id, name: company.name },
    keyHint,
    scope: record.scope,
    resource: record.resource,
    metricKey: record.metricKey,
    grantId: record.grantId,
    outcome: record.outcome,
  };
}
