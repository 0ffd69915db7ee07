import type { AccessRequest } from '../consent/access-request.ts';
import type { Receipt } from '../consent/receipt.ts';
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

/** An event in the feed, with the names that its readers are shown. */
export interface FeedEvent extends AccessEvent {
  /** Its place in the feed, as a decimal number. */
  readonly position: string;
  readonly investorName: string;
  readonly companyName: string;
  readonly receipt: Receipt | null;
}

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
