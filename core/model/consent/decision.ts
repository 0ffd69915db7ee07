import type { Actor } from '../events/event-type.ts';
import { addDays, isSameInstant } from '../time.ts';
import {
  type AccessRequest,
  type Approval,
  asOf,
  coveringTerms,
  isSubset,
  statusAt,
  undecidedScopes,
} from './access-request.ts';
import { checkVersion, type ExpectedVersion } from './request-version.ts';
import type { GrantableScope } from './scopes.ts';
import { fillTerms, isSameTerms, isWithinTerms, type PartialTerms } from './terms.ts';
import { type AccessRequestAction, daysOfNotice, transition } from './transition.ts';

export type CompanyDecision =
  | {
      readonly type: 'approve';
      readonly scopes?: readonly string[] | undefined;
      readonly terms?: PartialTerms | undefined;
      readonly expiresAt?: Date | undefined;
      readonly reason?: string | null | undefined;
    }
  | Extract<
      AccessRequestAction,
      { readonly type: 'decline' | 'revoke' | 'extend' | 'narrow' | 'pause' | 'resume' }
    >;

/** An action that a caller may repeat. `changesNothing` recognises the repetition. */
export type RepeatableAction =
  | CompanyDecision
  | Extract<AccessRequestAction, { readonly type: 'amend' | 'withdraw' }>;

/** In the order of the desk's buttons. */
export const decisionTypes = [
  'approve',
  'decline',
  'narrow',
  'pause',
  'resume',
  'extend',
  'revoke',
] as const;

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
  /** The version of the request that the company saw. Ignored for actions that only take access away or give it back. */
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
  if (needsVersion(decision.type)) checkVersion(asOf(request, now), version);
  const action =
    decision.type === 'approve' ? approvalOf(decision, request, grantTtlDays, now) : decision;
  return transition(request, action, now);
}

const needsVersion = (type: DecisionType): boolean =>
  type === 'approve' || type === 'decline' || type === 'extend';

/**
 * Returns an approval with its expiry. By default, an existing grant keeps its expiry, and a new grant gets the default
 * period. A grant for one use that becomes ongoing gets the default period, too.
 */
export function approvalOf(
  { scopes, terms, expiresAt, reason }: Omit<Extract<CompanyDecision, { type: 'approve' }>, 'type'>,
  request: AccessRequest,
  grantTtlDays: number,
  now: Date,
): ApproveAction {
  const isInUse = request.firstReadAt !== null;
  const endsUse = isInUse && fillTerms(terms ?? {}, coveringTerms(request))?.use !== 'once';
  const present = endsUse ? null : request.expiresAt;
  const end = expiresAt ?? present ?? addDays(now, grantTtlDays);
  const isEndChosen = expiresAt !== undefined;
  return { type: 'approve', scopes, terms, expiresAt: end, isEndChosen, reason };
}

type ApproveAction = Extract<AccessRequestAction, { type: 'approve' }>;

/**
 * Returns the action for an approval at a company that requires two people. The second person must approve the same
 * content as the first one. If the content differs, the approval counts as a new first approval.
 *
 * @throws AccessError `illegal_transition` or `invalid_decision`, as a complete approval would
 */
export function approvalOfTwo(
  approval: ApproveAction,
  request: AccessRequest,
  actor: Actor,
  now: Date,
): ApproveAction | Extract<AccessRequestAction, { type: 'confirm' }> {
  const { approvedTerms, approvedScopes } = transition(request, approval, now);
  const own: Approval = {
    actor,
    createdAt: now.toISOString(),
    scopes: approvedScopes,
    terms: approvedTerms,
    expiresAt: approval.isEndChosen ? approval.expiresAt.toISOString() : null,
  };
  const [first] = request.approvals;
  const isSecond =
    first !== undefined && !isSameActor(first.actor, actor) && isSameContent(first, own);
  return isSecond ? { ...approval, approvals: [first, own] } : { type: 'confirm', approval: own };
}

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  isSubset(one, other) && isSubset(other, one);

const isSameActor = (one: Actor, other: Actor) => one.type === other.type && one.id === other.id;

const isSameContent = (one: Approval, other: Approval): boolean =>
  isSameSet(one.scopes, other.scopes) &&
  isSameTerms(one.terms, other.terms) &&
  one.expiresAt === other.expiresAt;

/** Returns true if the actor has already given the first of two approvals, with the same content. */
export const isOwnConfirmation = (
  { approvals: [first] }: AccessRequest,
  { approval }: Extract<AccessRequestAction, { type: 'confirm' }>,
): boolean =>
  first !== undefined && isSameActor(first.actor, approval.actor) && isSameContent(first, approval);

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
        request.pendingTerms === null &&
        isNamedIn(action.terms, request) &&
        (action.reason == null || action.reason === request.reason) &&
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
    case 'narrow':
      return (
        status === 'approved' &&
        (action.scopes === undefined || isSameSet(action.scopes, request.approvedScopes)) &&
        isNamedIn(action.terms, request)
      );
    case 'pause':
      return status === 'approved' && request.pausedAt !== null;
    case 'resume':
      return status === 'approved' && request.pausedAt === null;
    case 'amend':
      return (
        ((status === 'pending' && isSubset(action.scopes, request.requestedScopes)) ||
          (status === 'approved' &&
            isSubset(action.scopes, [...request.approvedScopes, ...request.pendingScopes]))) &&
        isWithinTerms(fillTerms(action.terms ?? {}, coveringTerms(request)), coveringTerms(request))
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

const isNamedIn = (terms: PartialTerms = {}, { approvedTerms }: AccessRequest): boolean =>
  isSameTerms(fillTerms(terms, approvedTerms), approvedTerms);

const isSameReason = (reason: string | null, request: AccessRequest) =>
  reason === null || reason === request.reason;
