import { defineEntity, p } from '@mikro-orm/core';
import type { DeliveryFailure, DeliveryState, EventType, WebhookDisabledReason } from '#core';

export const WebhookEndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  properties: {
    id: p.text().primary(),
    companyId: p.text().nullable(),
    investorId: p.text().nullable(),
    url: p.text(),
    types: p.array().columnType('text[]').$type<readonly EventType[]>(),
    secret: p.text(),
    previousSecret: p.text().nullable(),
    previousSecretUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    disabledAt: p.datetime(3).nullable(),
    disabledReason: p.text().$type<WebhookDisabledReason>().nullable(),
    droppedDataEvents: p.integer().default(0),
    removedAt: p.datetime(3).nullable(),
    /** The time of the next delivery. While a process claims the endpoint, the time when the claim expires. */
    dueAt: p.datetime(3).nullable(),
    claimId: p.text().nullable(),
  },
});

export const WebhookDeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  properties: {
    eventId: p.text().primary(),
    endpointId: p.text().primary(),
    /** The company of the event, even if the endpoint belongs to an investor. */
    companyId: p.text(),
    eventType: p.text().$type<EventType>(),
    state: p.text().$type<DeliveryState>(),
    attempts: p.integer(),
    nextAttemptAt: p.datetime(3).nullable(),
    lastAttemptAt: p.datetime(3).nullable(),
    lastStatus: p.integer().nullable(),
    lastFailure: p.text().$type<DeliveryFailure>().nullable(),
    createdAt: p.datetime(3),
  },
});
