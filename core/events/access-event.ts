import type { AccessRequest, AccessRequestStatus } from '../consent/access-request.ts';

/** What happened to an access request, named after the state it led to; a new one is `created`. */
export const accessEventTypes = {
  pending: 'access_request.created',
  approved: 'access_request.approved',
  declined: 'access_request.declined',
  expired: 'access_request.expired',
  revoked: 'access_request.revoked',
} as const satisfies Record<AccessRequestStatus, string>;

export type AccessEventType = (typeof accessEventTypes)[AccessRequestStatus];

/** The notice of one transition, written in its transaction, so that neither exists without the other. */
export interface AccessEvent {
  readonly id: string;
  readonly type: AccessEventType;
  readonly createdAt: Date;
  /** The request as it was right after the transition. */
  readonly accessRequest: AccessRequest;
}

export function createAccessEvent(
  id: string,
  accessRequest: AccessRequest,
  now: Date,
): AccessEvent {
  return { id, type: accessEventTypes[accessRequest.status], createdAt: now, accessRequest };
}
