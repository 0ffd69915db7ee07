import { defineEntity, p } from '@mikro-orm/core';
import type { AccessEventType, AccessRequest } from '#core';

/** The outbox: written in the transaction of the transition, read in the order of writing. */
export const AccessEventEntity = defineEntity({
  name: 'AccessEvent',
  properties: {
    position: p.bigint('string').primary().autoincrement().generated('identity'),
    id: p.text().unique('access_event_id'),
    type: p.text().$type<AccessEventType>(),
    createdAt: p.datetime(3),
    accessRequestId: p.text(),
    accessRequest: p.json().$type<AccessRequest>(),
  },
});
