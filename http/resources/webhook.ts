import { z } from 'zod';
import {
  deliveryStates,
  eventTypes,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookTest,
  webhookFailures,
} from '#core';
import { instant } from './fields.ts';

export const webhookEndpointResource = z
  .object({
    id: z.string().meta({ description: 'ID of the endpoint, of the form `we_…`.' }),
    url: z.string().meta({ description: 'The URL that gets the events.' }),
    types: z.array(z.enum(eventTypes)).meta({
      description: 'The delivered event types. If the list is empty, all types are delivered.',
    }),
    createdAt: instant.meta({ description: 'Time of creation, in RFC 3339.' }),
    disabledAt: instant.nullable().meta({
      description:
        'Time at which the endpoint was disabled, in RFC 3339. Null while it is enabled.',
    }),
    disabledReason: z.enum(['gone']).nullable().meta({
      description: '`gone`: the receiver answered 410. Null while the endpoint is enabled.',
    }),
    droppedDataEvents: z.int().meta({
      description:
        'The number of dropped data events. The service drops events if more than 100 events of one company wait. Read dropped events from the feed.',
    }),
  })
  .meta({ description: 'A URL that gets events.' });

export function presentWebhookEndpoint({
  id,
  url,
  types,
  createdAt,
  disabledAt,
  disabledReason,
  droppedDataEvents,
}: WebhookEndpoint): z.output<typeof webhookEndpointResource> {
  return {
    id,
    url,
    types: [...types],
    createdAt: createdAt.toISOString(),
    disabledAt: disabledAt?.toISOString() ?? null,
    disabledReason,
    droppedDataEvents,
  };
}

const failure = z
  .enum([...webhookFailures, 'withheld'])
  .nullable()
  .meta({
    description: 'The reason why there was no response. Null if there was one.',
  });

export const webhookDeliveryResource = z
  .object({
    endpointId: z.string().meta({ description: 'ID of the endpoint.' }),
    eventId: z.string().meta({ description: 'The `webhook-id` of the message.' }),
    eventType: z.enum(eventTypes).meta({ description: 'The type of the event.' }),
    state: z
      .enum(deliveryStates)
      .meta({ description: '`failed`: the event isn’t sent again until you replay it.' }),
    attempts: z.int().meta({ description: 'The number of attempts.' }),
    nextAttemptAt: instant
      .nullable()
      .meta({ description: 'Time of the next attempt, in RFC 3339. Null if none exists.' }),
    lastAttemptAt: instant
      .nullable()
      .meta({ description: 'Time of the last attempt, in RFC 3339. Null before the first one.' }),
    lastStatus: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the last response. Null if none exists.' }),
    lastFailure: failure,
    createdAt: instant.meta({ description: 'Time of the event, in RFC 3339.' }),
  })
  .meta({ description: 'The delivery of one event to an endpoint.' });

export const presentWebhookDelivery = (
  delivery: WebhookDelivery,
): z.output<typeof webhookDeliveryResource> => ({
  endpointId: delivery.endpointId,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  state: delivery.state,
  attempts: delivery.attempts,
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
  lastStatus: delivery.lastStatus,
  lastFailure: delivery.lastFailure,
  createdAt: delivery.createdAt.toISOString(),
});

export const webhookTestResource = z
  .object({
    delivered: z.boolean().meta({ description: 'True if the receiver accepted the message.' }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the response. Null if none exists.' }),
    failure,
  })
  .meta({ description: 'The result of a test message.' });

export const presentWebhookTest = ({ isDelivered, outcome }: WebhookTest) => ({
  delivered: isDelivered,
  status: 'status' in outcome ? outcome.status : null,
  failure: 'failure' in outcome ? outcome.failure : null,
});
