import type { OwnRecord } from '#core';

/** A record as its investor sees it. */
export function presentOwnRecord({ record, keyHint, contactEmail, company }: OwnRecord) {
  const { contactId } = record;
  return {
    id: record.id,
    occurredAt: record.occurredAt.toISOString(),
    requestId: record.requestId,
    protocol: record.protocol,
    company: company && { id: company.id, name: company.name },
    keyHint,
    contact: contactId === null ? null : { id: contactId, email: contactEmail },
    scope: record.scope,
    resource: record.resource,
    metricKey: record.metricKey,
    grantId: record.grantId,
    outcome: record.outcome,
  };
}
