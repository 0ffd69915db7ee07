import type { AccessRequest } from '../../model/consent/access-request.ts';
import { proposedEnd, type RepeatableAction } from '../../model/consent/decision.ts';
import type { AccessRequestAction } from '../../model/consent/transition.ts';
import { ensure } from '../../model/errors.ts';
import { operator } from '../../model/events/event-type.ts';
import { requirePlainText } from '../../model/text.ts';
import type { Ports } from '../../ports/index.ts';
import { type Change, changeAccessRequest } from './change-access-request.ts';

export const maxReasonLength = 1000;

interface Approval {
  /** A non-empty part of what waits for a decision; all of it when absent. */
  readonly scopes?: readonly string[] | undefined;
  /** The end of the grant; when absent, the present end, or the default of the service for a new grant. */
  readonly expiresAt?: Date | undefined;
}

/** The version of the request that was read; needed once the investor has changed what it asks for. */
interface Read {
  readonly version?: string | undefined;
}

/**
 * With a version a decision can be sent again, like that of a company: what was decided so on it changes nothing.
 *
 * @throws OperatorError `not_found`, and AccessError `request_changed`, `illegal_transition` or `invalid_decision`; nothing
 *   is changed then
 */
export const approveAccessRequest =
  (ports: Ports) =>
  (id: string, { version, ...approval }: Approval & Read = {}): Promise<AccessRequest> =>
    decideOn(ports, id, version, { type: 'approve', ...approval }, (request, now) =>
      approvalAction(ports, approval, request, now),
    );

export function approvalAction(
  { settings }: Pick<Ports, 'settings'>,
  { scopes, expiresAt }: Approval,
  request: AccessRequest,
  now: Date,
): AccessRequestAction {
  const end = expiresAt ?? proposedEnd(request, settings.grantTtlDays, now);
  return { type: 'approve', scopes, expiresAt: end };
}

/** @throws OperatorError `not_found` or `invalid`, and AccessError `request_changed` or `illegal_transition` */
export const declineAccessRequest =
  (ports: Ports) =>
  async (
    id: string,
    reason: string | null = null,
    { version }: Read = {},
  ): Promise<AccessRequest> => {
    const action = { type: 'decline', reason: checkReason(reason) } as const;
    return decideOn(ports, id, version, action, () => action);
  };

/**
 * Takes a grant back. Every read that starts after this has resolved is refused, on every process.
 *
 * @throws OperatorError `not_found` or `invalid`, and AccessError `illegal_transition`
 */
export const revokeAccessRequest =
  (ports: Ports) =>
  async (id: string, reason: string | null = null): Promise<AccessRequest> => {
    const action = { type: 'revoke', reason: checkReason(reason) } as const;
    return decide(ports, id, { action: () => action });
  };

/**
 * Moves the end of a grant.
 *
 * @throws OperatorError `not_found`, and AccessError `request_changed`, `illegal_transition` or `invalid_decision`
 */
export const extendAccessRequest =
  (ports: Ports) =>
  (id: string, expiresAt: Date, { version }: Read = {}): Promise<AccessRequest> => {
    const action = { type: 'extend', expiresAt } as const;
    return decideOn(ports, id, version, action, () => action);
  };

function decideOn(
  ports: Ports,
  id: string,
  version: string | undefined,
  repeatable: RepeatableAction,
  action: Change['action'],
): Promise<AccessRequest> {
  return version === undefined
    ? decide(ports, id, { version: null, action })
    : decide(ports, id, { version, action, repeatable });
}

function decide(
  ports: Ports,
  id: string,
  decision: Pick<Change, 'action' | 'repeatable' | 'version'>,
): Promise<AccessRequest> {
  return changeAccessRequest(ports, {
    ...decision,
    id,
    actor: operator,
    check: (request) => ensure(request !== null, 'not_found', `there is no access request ${id}`),
  });
}

function checkReason(reason: string | null): string | null {
  if (reason === null) return null;
  const isShort = reason.length <= maxReasonLength;
  ensure(isShort, 'invalid', `a reason has at most ${maxReasonLength} characters`);
  return requirePlainText(reason);
}
