import { addDays, isSameInstant } from '../time.ts';
import { type AccessRequest, asOf, isSubset, statusAt, undecidedScopes } from './access-request.ts';
import { checkVersion, type ExpectedVersion } from './request-version.ts';
import type { GrantableScope } from './scopes.ts';
import { type AccessRequestAction, daysOfNotice, transition } from './transition.ts';

/** What a company decides; an approval without an end has the proposed one. */
export type CompanyDecision =
  | {
      readonly type: 'approve';
      readonly scopes?: readonly string[] | undefined;
      readonly expiresAt?: Date | undefined;
    }
  | { readonly type: 'decline' | 'revoke'; readonly reason: string | null }
  | { readonly type: 'extend'; readonly expiresAt: Date };

/** An action that a company or an investor may repeat; what the repetition leaves out counts as the same. */
export type RepeatableAction =
  | CompanyDecision
  | Extract<AccessRequestAction, { readonly type: 'amend' | 'withdraw' }>;

/** In the order in which they are offered. */
export const decisionTypes = ['approve', 'decline', 'extend', 'revoke'] as const;

export type DecisionType = CompanyDecision['type'];

/** The end of an approval that names none: the present one, or for a new grant so many days from now. */
export const proposedEnd = (
  { expiresAt }: Pick<AccessRequest, 'expiresAt'>,
  grantTtlDays: number,
  now: Date,
): Date => expiresAt ?? addDays(now, grantTtlDays);

/** How long a grant may be made to last where somebody chooses among a few, in days: with the default of the service. */
export const grantPeriods = (grantTtlDays: number): number[] =>
  [...new Set([30, 90, 365, grantTtlDays])].sort((first, second) => first - second);

/**
 * The period that is chosen until a person chooses another: the shortest one whose end is still announced before it
 * comes. Access that turns out to be needed longer is extended; access that nobody thinks of ends by itself.
 */
export const proposedPeriod = (periods: readonly number[]): number | undefined =>
  periods.find((days) => days > daysOfNotice) ?? periods.at(-1);

/**
 * The scopes that are chosen until a person chooses: none of several, because each is a decision of its own, and the one
 * where only one is asked for.
 */
export function proposedScopes(request: AccessRequest): readonly GrantableScope[] {
  const undecided = undecidedScopes(request);
  return undecided.length === 1 ? undecided : [];
}

interface Circumstances {
  /** The version of the request that was read. Access is taken back whatever the request has become since. */
  readonly version: ExpectedVersion;
  readonly grantTtlDays: number;
  readonly now: Date;
}

/**
 * The request as a decision would leave it; nothing is saved.
 *
 * @throws AccessError `request_changed`, `illegal_transition` or `invalid_decision`, as the decision itself would
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

/** An approval with its end: the one that it names, or the proposed one. */
export function approvalOf(
  {
    scopes,
    expiresAt,
  }: Pick<Extract<CompanyDecision, { type: 'approve' }>, 'scopes' | 'expiresAt'>,
  request: AccessRequest,
  grantTtlDays: number,
  now: Date,
): AccessRequestAction {
  const end = expiresAt ?? proposedEnd(request, grantTtlDays, now);
  return { type: 'approve', scopes, expiresAt: end };
}

/** Whether an action asks only for what is so already: what it names is as it stands. */
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

/** Whether the scopes name all that the last approval added, and nothing that is not approved. */
const isApprovalOf = (
  scopes: readonly string[],
  { approvedScopes, previousScopes }: AccessRequest,
) => isSubset(scopes, approvedScopes) && isSubset(approvedScopes, [...previousScopes, ...scopes]);

const isSameReason = (reason: string | null, request: AccessRequest) =>
  reason === null || reason === request.reason;
