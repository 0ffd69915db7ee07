import { z } from 'zod';
import type { WebhookDelivery, WebhookEndpoint, WebhookTest } from '#core';
import {
  presentWebhookTest as presentTest,
  webhookDeliveryResource,
  webhookEndpointResource,
  webhookTestResource,
} from '#http';
import { wireFields } from './schemas.ts';

const { id, ...fields } = wireFields(webhookEndpointResource);

export const webhookEndpointSchema = z
  .object({
    id,
    object: z.literal('webhook_endpoint'),
    company_id: z.string().optional(),
    investor_id: z.string().optional(),
    ...fields,
  })
  .meta({ ...webhookEndpointResource.meta(), id: 'WebhookEndpoint' });

/** Never contains the secrets. */
export function presentWebhookEndpoint(
  endpoint: WebhookEndpoint,
): z.output<typeof webhookEndpointSchema> {
  const { id, owner, url, types, createdAt, disabledAt, disabledReason } = endpoint;
  return {
    id,
    object: 'webhook_endpoint',
    ...('companyId' in owner ? { company_id: owner.companyId } : { investor_id: owner.investorId }),
    url,
    types: [...types],
    created_at: createdAt.toISOString(),
    disabled_at: disabledAt?.toISOString() ?? null,
    disabled_reason: disabledReason,
    dropped_data_events: endpoint.droppedDataEvents,
  };
}

export const webhookDeliverySchema = z
  .object({ object: z.literal('webhook_delivery'), ...wireFields(webhookDeliveryResource) })
  .meta({ ...webhookDeliveryResource.meta(), id: 'WebhookDelivery' });

export function presentWebhookDelivery(
  delivery: WebhookDelivery,
): z.output<typeof webhookDeliverySchema> {
  return {
    object: 'webhook_delivery',
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

export const webhookTestSchema = z
  .object({ object: z.literal('webhook_test'), ...webhookTestResource.shape })
  .meta({ ...webhookTestResource.meta(), id: 'WebhookTest' });

export const presentWebhookTest = (test: WebhookTest): z.output<typeof webhookTestSchema> => ({
  object: 'webhook_test',
  ...presentTest(test),
});
