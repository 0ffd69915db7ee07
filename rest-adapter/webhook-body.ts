import type { FeedEvent, Owner } from '#core';
import { presentEvent, presentReceivedEvent } from './event.ts';

/** What a webhook is sent about an event: the event's data as the owner of the endpoint sees it in its own API. */
export function writeWebhook(event: FeedEvent, owner: Owner): string {
  const presented = 'companyId' in owner ? presentReceivedEvent(event) : presentEvent(event);
  const { type, created_at: timestamp, data } = presented;
  return JSON.stringify({ type, timestamp, data });
}
