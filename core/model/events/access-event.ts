import type { AccessRequest } from '../consent/access-request.ts';
import type { Receipt } from '../consent/receipt.ts';
import type { DataEvent } from './data-event.ts';
import type { AccessEventType, Actor } from './event-type.ts';

/** The event about one change to an access request. It is written in the same transaction as the change. */
export interface AccessEvent {
  readonly id: string;
  readonly type: AccessEventType;
  readonly createdAt: Date;
  /** The access request right after the change. */
  readonly accessRequest: AccessRequest;
  readonly actor: Actor;
  readonly reason: string | null;
}

interface InFeed {
  /** The position in the feed, as a decimal number. */
  readonly position: string;
  readonly companyName: string;
}

export interface RequestFeedEvent extends AccessEvent, InFeed {
  readonly investorName: string;
  readonly receipt: Receipt | null;
}

export type DataFeedEvent = DataEvent & InFeed;

export type FeedEvent = RequestFeedEvent | DataFeedEvent;

export function isRequestEvent<Event extends AccessEvent | DataEvent>(
  event: Event,
): event is Extract<Event, AccessEvent> {
  return 'accessRequest' in event;
}

export const companyOf = (event: AccessEvent | DataEvent): string =>
  isRequestEvent(event) ? event.accessRequest.companyId : event.companyId;

export function createAccessEvent(
  id: string,
  accessRequest: AccessRequest,
  actor: Actor,
  now: Date,
  reason: string | null = null,
): AccessEvent {
  return { id, type: accessRequest.lastEventType, createdAt: now, accessRequest, actor, reason };
}

/** Returns true if the grant still expires at the time in the event. `request` must be the present state. */
export function isStillEnding(
  { accessRequest: then }: AccessEvent,
  request: AccessRequest,
): boolean {
  return (
    request.status === 'approved' && request.deadlineAt.getTime() === then.deadlineAt.getTime()
  );
}
