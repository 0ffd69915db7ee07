import type { AccessRequest } from '../consent/access-request.ts';
import type { Receipt } from '../consent/receipt.ts';
import type { DataEvent } from './data-event.ts';
import type { AccessEventType, Actor } from './event-type.ts';

/** The notice of one change, written in its transaction, so that neither exists without the other. */
export interface AccessEvent {
  readonly id: string;
  readonly type: AccessEventType;
  readonly createdAt: Date;
  /** The request as it was right after the change. */
  readonly accessRequest: AccessRequest;
  readonly actor: Actor;
  /** In the words of whoever made the change. */
  readonly reason: string | null;
}

interface InFeed {
  /** Its place in the feed, as a decimal number. */
  readonly position: string;
  readonly companyName: string;
}

/** An event of an access request in the feed, with the names that its readers are shown. */
export interface RequestFeedEvent extends AccessEvent, InFeed {
  readonly investorName: string;
  readonly receipt: Receipt | null;
}

/** An event of the data of a company in the feed. */
export type DataFeedEvent = DataEvent & InFeed;

export type FeedEvent = RequestFeedEvent | DataFeedEvent;

export function isRequestEvent<Event extends AccessEvent | DataEvent>(
  event: Event,
): event is Extract<Event, AccessEvent> {
  return 'accessRequest' in event;
}

export const companyOf = (event: AccessEvent | DataEvent): string =>
  isRequestEvent(event) ? event.accessRequest.companyId : event.companyId;

/** The notice of the last change of a request. */
export function createAccessEvent(
  id: string,
  accessRequest: AccessRequest,
  actor: Actor,
  now: Date,
  reason: string | null = null,
): AccessEvent {
  return { id, type: accessRequest.lastEventType, createdAt: now, accessRequest, actor, reason };
}
