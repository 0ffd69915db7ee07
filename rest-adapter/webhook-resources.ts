import type { WebhookDelivery, WebhookEndpoint } from '#core';

/** Never the secrets. */
export function presentWebhookEndpoint(endpoint: WebhookEndpoint) {
  const { id, owner, url, types, createdAt, disabledAt, disabledReason } = endpoint;
  return {
    id,
    object: 'webhook_endpoint' as const,
    ...('companyId' in owner ? { company_id: owner.companyId } : { investor_id: owner.investorId }),
    url,
    types: [...types],
    created_at: createdAt.toISOString(),
    disabled_at: disabledAt?.toISOString() ?? null,
    disabled_reason: disabledReason,
  };
}

export function presentWebhookDelivery(delivery: WebhookDelivery) {
  return {
    object: 'webhook_delivery' as const,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    last_status: delivery.lastStatus,
    last_failure: delivery.lastFailure,
    created_at: delivery.createdAt.toISOString(),
  };
}
