import { z } from 'zod';
import { accessEventTypes, type FeedEvent, issueReceipt, type Owner } from '#core';
import {
  accessRequestSchema,
  presentAccessRequest,
  presentReceivedRequest,
  receivedRequestSchema,
} from './access-request.ts';
import { presentPage } from './list.ts';
import { presentReceipt, receiptSchema } from './receipt.ts';
import { instantSchema } from './schemas.ts';

export const eventTypeSchema = z
  .enum(accessEventTypes)
  .meta({ id: 'EventType', description: 'What happened to an access request.' });

const schemaOf = <T extends z.ZodType>(accessRequest: T, id: string) =>
  z
    .object({
      id: z.string().meta({ description: 'Identifier of the form evt_….' }),
      object: z.literal('event'),
      type: eventTypeSchema,
      created_at: instantSchema,
      data: z
        .object({
          access_request: accessRequest,
          receipt: receiptSchema
            .optional()
            .meta({ description: 'The receipt of the change; absent while it is not signed.' }),
        })
        .meta({ id: `${id}Data` }),
    })
    .meta({ id, description: 'A change of an access request, which is shown as it was after it.' });

export const eventSchema = schemaOf(accessRequestSchema, 'Event');
export const receivedEventSchema = schemaOf(receivedRequestSchema, 'ReceivedEvent');

/** An event as the investor sees it whose request it is about. */
export const presentEvent = (event: FeedEvent): z.output<typeof eventSchema> =>
  present(event, presentAccessRequest(event.accessRequest));

/** The same event as the company sees it that is asked. */
export function presentReceivedEvent(event: FeedEvent): z.output<typeof receivedEventSchema> {
  const { accessRequest, investorName } = event;
  const investor = { id: accessRequest.investorId, name: investorName };
  return present(event, presentReceivedRequest({ accessRequest, investor }));
}

function present<Presented>(event: FeedEvent, accessRequest: Presented) {
  const { id, type, createdAt } = event;
  const receipt = issueReceipt(event, event.receipt);
  return {
    id,
    object: 'event' as const,
    type,
    created_at: createdAt.toISOString(),
    data: {
      access_request: accessRequest,
      ...(receipt !== null && { receipt: presentReceipt(receipt) }),
    },
  };
}

/** The next page begins after the last event of this one. */
export function presentFeed<Event extends { readonly id: string }>(
  events: readonly Event[],
  hasMore: boolean,
  path: string,
) {
  return presentPage(events, path, hasMore ? (events.at(-1)?.id ?? null) : null);
}

/** What a webhook is sent about an event: the event's data as the owner of the endpoint sees it in its own API. */
export function writeWebhook(event: FeedEvent, owner: Owner): string {
  const presented = 'companyId' in owner ? presentReceivedEvent(event) : presentEvent(event);
  const { type, created_at: timestamp, data } = presented;
  return JSON.stringify({ type, timestamp, data });
}
