import { addDays, isSameInstant } from '../time.ts';
import { type AccessRequest, asOf, isSubset, statusAt, undecidedScopes } from './access-request.ts';
import { checkVersion, type ExpectedVersion } from './request-version.ts';
import type { GrantableScope } from './scopes.ts';
import { type AccessRequestAction, daysOfNotice, transition } from './transition.ts';

export type CompanyDecision =
  | {
      readonly type: 'approve';
      readonly scopes?: readonly string[] | undefined;
      readonly expiresAt?: Date | undefined;
    }
  | Extract<AccessRequestAction, { readonly type: 'decline' | 'revoke' | 'extend' }>;

/** An action that a caller may repeat. If the repetition omits a field, the field is treated as equal. */
export type RepeatableAction =
  | CompanyDecision
  | Extract<AccessRequestAction, { readonly type: 'amend' | 'withdraw' }>;

/** In the order of the desk's buttons. */
export const decisionTypes = ['approve', 'decline', 'extend', 'revoke'] as const;

export type DecisionType = CompanyDecision['type'];

/** Returns the grant periods that the desk offers, in days, including the default of the service. */
export const grantPeriods = (grantTtlDays: number): number[] =>
  [...new Set([30, 90, 365, grantTtlDays])].sort((first, second) => first - second);

/**
 * Returns the grant period that the form preselects: the shortest period that is longer than the notice before the
 * expiry. A company can extend a grant that is still needed. A forgotten grant expires soon.
 */
export const proposedPeriod = (periods: readonly number[]): number | undefined =>
  periods.find((days) => days > daysOfNotice) ?? periods.at(-1);

/**
 * Returns the scopes that the form preselects. A single requested scope is preselected. If there are several scopes,
 * none is preselected, because the company decides about each one.
 */
export function proposedScopes(request: AccessRequest): readonly GrantableScope[] {
  const undecided = undecidedScopes(request);
  return undecided.length === 1 ? undecided : [];
}

interface DecisionContext {
  /** The version of the request that the company saw. Ignored for `revoke`, which is allowed in any version. */
  readonly version: ExpectedVersion;
  readonly grantTtlDays: number;
  readonly now: Date;
}

/**
 * Returns the request after a decision, without saving it.
 *
 * @throws AccessError `request_changed`, `illegal_transition` or `invalid_decision`, as the real decision would
 */
export function reviewDecision(
  request: AccessRequest,
  decision: CompanyDecision,
  { version, grantTtlDays, now }: DecisionContext,
): AccessRequest {
  if (decision.type !== 'revoke') checkVersion(asOf(request, now), version);
  const action =
    decision.type === 'approve' ? approvalOf(decision, request, grantTtlDays, now) : decision;
  return transition(request, action, now);
}

/**
 * Returns an approval with its expiry. By default, an existing grant keeps its expiry, and a new grant gets the default
 * period.
 */
export function approvalOf(
  { scopes, expiresAt }: Omit<Extract<CompanyDecision, { type: 'approve' }>, 'type'>,
  request: AccessRequest,
  grantTtlDays: number,
  now: Date,
): AccessRequestAction {
  const end = expiresAt ?? request.expiresAt ?? addDays(now, grantTtlDays);
  return { type: 'approve', scopes, expiresAt: end };
}

export function changesNothing(
  request: AccessRequest,
  action: RepeatableAction,
  now: Date,
): boolean {
  const status = statusAt(request, now);
  switch (action.type) {
    case 'approve':
      return (
        status === 'approved' &&
        (action.scopes === undefined
          ? request.pendingScopes.length === 0
          : isApprovalOf(action.scopes, request)) &&
        (action.expiresAt === undefined || isSameInstant(action.expiresAt, request.expiresAt))
      );
    case 'decline':
      return (
        (status === 'declined' || (status === 'approved' && request.additionDeclined)) &&
        isSameReason(action.reason, request)
      );
    case 'revoke':
      return status === 'revoked' && isSameReason(action.reason, request);
    case 'extend':
      return status === 'approved' && isSameInstant(action.expiresAt, request.expiresAt);
    case 'amend':
      return (
        (status === 'pending' && isSubset(action.scopes, request.requestedScopes)) ||
        (status === 'approved' &&
          isSubset(action.scopes, [...request.approvedScopes, ...request.pendingScopes]))
      );
    default:
      return status === 'expired';
  }
}

/** Returns true if the scopes contain all scopes of the last approval, and no unapproved scope. */
const isApprovalOf = (
  scopes: readonly string[],
  { approvedScopes, previousScopes }: AccessRequest,
) => isSubset(scopes, approvedScopes) && isSubset(approvedScopes, [...previousScopes, ...scopes]);

const isSameReason = (reason: string | null, request: AccessRequest) =>
  reason === null || reason === request.reason;
