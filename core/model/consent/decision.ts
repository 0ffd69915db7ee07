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

/** An action that a caller may repeat. Fields that the repetition leaves out count as equal. */
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
 * Returns the preselected period: the shortest one whose end is announced in advance. A company can extend needed
 * access, and forgotten access ends.
 */
export const proposedPeriod = (periods: readonly number[]): number | undefined =>
  periods.find((days) => days > daysOfNotice) ?? periods.at(-1);

/**
 * Returns the preselected scopes: a single requested scope, or none of several, because the company decides about each.
 */
export function proposedScopes(request: AccessRequest): readonly GrantableScope[] {
  const undecided = undecidedScopes(request);
  return undecided.length === 1 ? undecided : [];
}

interface Circumstances {
  /** The version of the request that the company saw. Ignored for `revoke`, which is allowed in any version. */
  readonly version: ExpectedVersion;
  readonly grantTtlDays: number;
  readonly now: Date;
}

/**
 * Returns the request after a decision, without saving it.
 *
 * @throws AccessError `request_changed`, `illegal_transition` or `invalid_decision`, like the decision
 */
export function reviewDecision(
  request: AccessRequest,
  decision: CompanyDecision,
  { version, grantTtlDays, now }: Circumstances,
): AccessRequest {
  if (decision.type !== 'revoke') checkVersion(asOf(request, now), version);
  const action =
    decision.type === 'approve' ? approvalOf(decision, request, grantTtlDays, now) : decision;
  return transition(request, action, now);
}

/** Returns an approval with its end. The default is the grant's present end, or the default period for a new grant. */
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
