import { ensure, OperatorError } from '../errors.ts';
import { isFutureEnd } from '../time.ts';
import type { GrantableScope, Scope } from './scopes.ts';

export const accessRequestStatuses = [
  'pending',
  'approved',
  'declined',
  'expired',
  'revoked',
] as const;

export type AccessRequestStatus = (typeof accessRequestStatuses)[number];

export interface AccessRequest {
  readonly id: string;
  readonly investorId: string;
  readonly companyId: string;
  readonly requestedScopes: readonly GrantableScope[];
  /** What the company approved; empty until it has. */
  readonly approvedScopes: readonly GrantableScope[];
  /** As last written. Between a deadline and the sweeper this lags behind: ask statusAt. */
  readonly status: AccessRequestStatus;
  readonly purpose: string | null;
  /** Why the company declined or revoked, in its own words. */
  readonly reason: string | null;
  readonly createdAt: Date;
  /** When the company last approved, declined or revoked. */
  readonly decidedAt: Date | null;
  /** The end of the grant; null until there is one. */
  readonly expiresAt: Date | null;
  /** The instant at which a live request ends by itself: unanswered when pending, expired when approved. */
  readonly deadlineAt: Date;
}

export type AccessRequestAction =
  | {
      readonly type: 'approve';
      readonly scopes?: readonly string[] | undefined;
      readonly expiresAt: Date;
    }
  | { readonly type: 'decline'; readonly reason: string | null }
  | { readonly type: 'revoke'; readonly reason: string | null }
  | { readonly type: 'expire' };

type AccessRequestActionType = AccessRequestAction['type'];

/** From each state, what can happen and where it leads. A state without a way out is final. */
export const transitions = {
  pending: { approve: 'approved', decline: 'declined', expire: 'expired' },
  approved: { revoke: 'revoked', expire: 'expired' },
  declined: {},
  expired: {},
  revoked: {},
} as const satisfies Record<
  AccessRequestStatus,
  Partial<Record<AccessRequestActionType, AccessRequestStatus>>
>;

/** Live by its last written status; at most one such request exists per investor and company. */
export function isLive(request: Pick<AccessRequest, 'status'>): boolean {
  return request.status === 'pending' || request.status === 'approved';
}

/** The status now: a live request whose deadline has come is expired at that very instant. */
export function statusAt(
  request: Pick<AccessRequest, 'status' | 'deadlineAt'>,
  now: Date,
): AccessRequestStatus {
  return isLive(request) && request.deadlineAt.getTime() <= now.getTime()
    ? 'expired'
    : request.status;
}

/** Whether asking for these scopes again asks for nothing new. */
export function covers(
  request: Pick<AccessRequest, 'requestedScopes'>,
  asked: readonly Scope[],
): boolean {
  return asked.every((scope) => (request.requestedScopes as readonly Scope[]).includes(scope));
}

/**
 * The request after an action. The given one stays as it is.
 *
 * @throws OperatorError `illegal_transition`, naming the state, or `invalid`, naming what is wrong
 */
export function transition(
  request: AccessRequest,
  action: AccessRequestAction,
  now: Date,
): AccessRequest {
  const status = statusAt(request, now);
  const permitted: Partial<Record<AccessRequestActionType, AccessRequestStatus>> =
    transitions[request.status];
  // Only the clock expires a request, and once the deadline has come nothing else can happen to it.
  const hasExpired = status !== request.status;
  const next = hasExpired === (action.type === 'expire') ? permitted[action.type] : undefined;
  if (next === undefined) {
    throw new OperatorError(
      'illegal_transition',
      `cannot ${action.type} the access request ${request.id}: it is ${status}`,
    );
  }
  switch (action.type) {
    case 'approve':
      return { ...request, status: next, decidedAt: now, ...grant(request, action, now) };
    case 'expire':
      return { ...request, status: next };
    default:
      return { ...request, status: next, decidedAt: now, reason: action.reason };
  }
}

function grant(
  request: AccessRequest,
  action: Extract<AccessRequestAction, { type: 'approve' }>,
  now: Date,
): Pick<AccessRequest, 'approvedScopes' | 'expiresAt' | 'deadlineAt'> {
  const approved: readonly string[] = action.scopes ?? request.requestedScopes;
  const foreign = approved.filter(
    (scope) => !(request.requestedScopes as readonly string[]).includes(scope),
  );
  ensure(
    foreign.length === 0,
    'invalid',
    `cannot approve what was not requested: ${foreign.join(', ')}`,
  );
  ensure(approved.length > 0, 'invalid', 'an approval needs at least one of the requested scopes');
  ensure(
    isFutureEnd(action.expiresAt, now),
    'invalid',
    'the end of a grant must lie in the future, before the year 10000',
  );
  return {
    approvedScopes: request.requestedScopes.filter((scope) => approved.includes(scope)),
    expiresAt: action.expiresAt,
    deadlineAt: action.expiresAt,
  };
}
