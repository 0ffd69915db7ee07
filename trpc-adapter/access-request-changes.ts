import { type AccessEventType, issueReceipt, type RequestFeedEvent } from '#core';
import { presentAccessRequest, presentActor } from '#http';
import type { AccessRequest, AccessRequestActor, ConsentReceipt } from './access-requests.ts';
import { type ChangesProcedure, subscription } from './subscription.ts';

/** A change of one of your access requests. */
export interface AccessRequestChange {
  /** ID of the event, of the form `evt_…`. To resume after this event, send its ID. */
  readonly id: string;
  /** The type of the change. */
  readonly type: AccessEventType;
  /** Time of the change, in RFC 3339. */
  readonly createdAt: string;
  /** The request right after the change. */
  readonly accessRequest: AccessRequest;
  /** The actor of the change. */
  readonly actor: AccessRequestActor;
  /** The reason given with the change. Null if none exists. */
  readonly reason: string | null;
  /** The receipt of the change. Null until it is signed. */
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
   * Streams the changes of your access requests in order, each at least once. The stream starts now, or after the event
   * `lastEventId`, which can be up to 90 days old. The first message of each connection has the type `stream.started`.
   */
  readonly onChange: ChangesProcedure<AccessRequestChange>;
};

export const accessRequestSubscriptions: Subscriptions = {
  onChange: subscription(({ watchAccessRequests }) => watchAccessRequests, presentChange),
};
