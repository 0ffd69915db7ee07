import { type AccessEventType, issueReceipt, type RequestFeedEvent } from '#core';
import { presentAccessRequest, presentActor } from '#http';
import type { AccessRequest, AccessRequestActor, ConsentReceipt } from './access-requests.ts';
import { type ChangesProcedure, subscription } from './subscription.ts';

/** Something that has happened to one of your access requests. */
export interface AccessRequestChange {
  /** Id of the event. */
  readonly id: string;
  readonly type: AccessEventType;
  /** RFC 3339. */
  readonly createdAt: string;
  /** The request as it was right after the change. */
  readonly accessRequest: AccessRequest;
  /** Who did it. */
  readonly actor: AccessRequestActor;
  /** Why, in the words of whoever did it. */
  readonly reason: string | null;
  /** The receipt of the change; null while it is not signed. */
  readonly receipt: ConsentReceipt | null;
}

function presentChange(event: RequestFeedEvent): AccessRequestChange {
  const { id, type, createdAt, accessRequest, actor, reason } = event;
  return {
    id,
    type,
    createdAt: createdAt.toISOString(),
    accessRequest: presentAccessRequest(accessRequest),
    actor: presentActor(actor),
    reason,
    receipt: issueReceipt(event, event.receipt),
  };
}

type Subscriptions = {
  /**
   * What happens to your access requests, as it happens: each event once, in one order. It begins now, or after the event
   * `lastEventId`, which can be up to 90 days old. The first message of each connection has the type `stream.started`.
   */
  readonly onChange: ChangesProcedure<AccessRequestChange>;
};

export const accessRequestSubscriptions: Subscriptions = {
  onChange: subscription(({ watchAccessRequests }) => watchAccessRequests, presentChange),
};
