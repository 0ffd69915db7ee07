import { z } from 'zod';
import {
  deliveryStates,
  eventTypes,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookTest,
  webhookFailures,
} from '#core';
import { instant } from '#http';

export const webhookEndpointSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the form we_….' }),
    object: z.literal('webhook_endpoint'),
    company_id: z.string().optional(),
    investor_id: z.string().optional(),
    url: z.string(),
    types: z
      .array(z.enum(eventTypes))
      .meta({ description: 'The delivered event types. Empty means all types.' }),
    created_at: instant,
    disabled_at: instant.nullable(),
    disabled_reason: z
      .enum(['gone'])
      .nullable()
      .meta({ description: '`gone`: the receiver answered 410.' }),
    dropped_data_events: z.int().meta({
      description:
        'The number of data events that were dropped because more than 100 of one company waited. Read them from the feed.',
    }),
  })
  .meta({ id: 'WebhookEndpoint', description: 'A URL that gets events.' });

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

const failures = [...webhookFailures, 'withheld'] as const;
const statusSchema = z
  .int()
  .nullable()
  .meta({ description: 'The HTTP status of the response. Null without one.' });
const failureSchema = z.enum(failures).nullable().meta({ description: 'Why there was no answer.' });

export const webhookDeliverySchema = z
  .object({
    object: z.literal('webhook_delivery'),
    endpoint_id: z.string(),
    event_id: z.string().meta({ description: 'The `webhook-id` of the message.' }),
    event_type: z.enum(eventTypes),
    state: z
      .enum(deliveryStates)
      .meta({ description: '`failed`: not sent again unless you replay it.' }),
    attempts: z.int(),
    next_attempt_at: instant.nullable(),
    last_attempt_at: instant.nullable(),
    last_status: statusSchema,
    last_failure: failureSchema,
    created_at: instant.meta({ description: 'Time of the event.' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of one event to an endpoint.' });

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
  .object({
    object: z.literal('webhook_test'),
    delivered: z.boolean(),
    status: statusSchema,
    failure: failureSchema,
  })
  .meta({ id: 'WebhookTest', description: 'The result of a test message.' });

export function presentWebhookTest({
  isDelivered,
  outcome,
}: WebhookTest): z.output<typeof webhookTestSchema> {
  return {
    object: 'webhook_test',
    delivered: isDelivered,
    status: 'status' in outcome ? outcome.status : null,
    failure: 'failure' in outcome ? outcome.failure : null,
  };
}
