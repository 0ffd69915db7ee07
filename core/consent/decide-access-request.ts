import { ensure } from '../errors.ts';
import { type Actor, operator } from '../events/event-type.ts';
import type { Ports } from '../ports.ts';
import { requirePlainText } from '../text.ts';
import { addDays } from '../time.ts';
import type { AccessRequest } from './access-request.ts';
import { changeAccessRequest } from './change-access-request.ts';
import type { AccessRequestAction } from './transition.ts';

export const maxReasonLength = 1000;

interface Approval {
  /** A non-empty part of what waits for a decision; all of it when absent. */
  readonly scopes?: readonly string[] | undefined;
  /** The end of the grant; when absent, the present end, or the default of the service for a new grant. */
  readonly expiresAt?: Date | undefined;
}

/** @throws OperatorError `not_found`, and AccessError `illegal_transition` or `invalid_decision`; nothing is changed then */
export const approveAccessRequest =
  (ports: Ports) =>
  (id: string, approval: Approval = {}, actor: Actor = operator): Promise<AccessRequest> =>
    decide(ports, id, actor, (request, now) => approvalAction(ports, approval, request, now));

export function approvalAction(
  { settings }: Pick<Ports, 'settings'>,
  { scopes, expiresAt }: Approval,
  request: AccessRequest,
  now: Date,
): AccessRequestAction {
  const end = expiresAt ?? request.expiresAt ?? addDays(now, settings.grantTtlDays);
  return { type: 'approve', scopes, expiresAt: end };
}

/** @throws OperatorError `not_found` or `invalid`, and AccessError `illegal_transition` */
export const declineAccessRequest =
  (ports: Ports) =>
  (id: string, reason: string | null = null, actor: Actor = operator): Promise<AccessRequest> =>
    decide(ports, id, actor, () => ({ type: 'decline', reason: checkReason(reason) }));

/**
 * Takes a grant back. Every read that starts after this has resolved is refused, on every process.
 *
 * @throws OperatorError `not_found` or `invalid`, and AccessError `illegal_transition`
 */
export const revokeAccessRequest =
  (ports: Ports) =>
  (id: string, reason: string | null = null, actor: Actor = operator): Promise<AccessRequest> =>
    decide(ports, id, actor, () => ({ type: 'revoke', reason: checkReason(reason) }));

/**
 * Moves the end of a grant.
 *
 * @throws OperatorError `not_found`, and AccessError `illegal_transition` or `invalid_decision`
 */
export const extendAccessRequest =
  (ports: Ports) =>
  (id: string, expiresAt: Date, actor: Actor = operator): Promise<AccessRequest> =>
    decide(ports, id, actor, () => ({ type: 'extend', expiresAt }));

function decide(
  ports: Ports,
  id: string,
  actor: Actor,
  action: (request: AccessRequest, now: Date) => AccessRequestAction,
): Promise<AccessRequest> {
  return changeAccessRequest(ports, {
    id,
    actor,
    action,
    check: (request) => ensure(request !== null, 'not_found', `there is no access request ${id}`),
  });
}

function checkReason(reason: string | null): string | null {
  if (reason === null) return null;
  const isShort = reason.length <= maxReasonLength;
  ensure(isShort, 'invalid', `a reason has at most ${maxReasonLength} characters`);
  return requirePlainText(reason);
}
