import { AccessError, type ErrorDetails } from '../errors.ts';
import { addDays, isFutureEnd, isSameInstant } from '../time.ts';
import {
  type AccessRequest,
  allRequestedScopes,
  isSubset,
  stateOf,
  statusAt,
  type Transition,
  transitions,
  undecidedScopes,
  withoutGrant,
} from './access-request.ts';
import { foldScopes, type GrantableScope } from './scopes.ts';

export type AccessRequestAction =
  | {
      readonly type: 'approve';
      /** Absent means all undecided scopes. */
      readonly scopes?: readonly string[] | undefined;
      readonly expiresAt: Date;
    }
  | { readonly type: 'decline'; readonly reason: string | null }
  | { readonly type: 'revoke'; readonly reason: string | null }
  | { readonly type: 'extend'; readonly expiresAt: Date }
  | {
      readonly type: 'amend';
      readonly scopes: readonly GrantableScope[];
      readonly purpose: string | null;
    }
  | { readonly type: 'withdraw' }
  | { readonly type: 'remind' }
  | { readonly type: 'expire' };

/** The number of days between the announcement and the expiry of a grant. */
export const daysOfNotice = 7;

/** @throws AccessError `illegal_transition` with the state, or `invalid_decision` with the problem */
export function transition(
  request: AccessRequest,
  action: AccessRequestAction,
  now: Date,
): AccessRequest {
  const permitted: Partial<Record<AccessRequestAction['type'], Transition>> =
    transitions[stateOf(request)];
  const next = isDue(request, action, now) ? permitted[action.type] : undefined;
  if (next === undefined) {
    throw new AccessError('illegal_transition', {
      message: `Cannot ${action.type} the access request ${request.id}: it is ${statusAt(request, now)}.`,
    });
  }
  const after = { ...request, ...effectOf(request, action, now), lastEventType: next.event };
  return { ...after, status: next.status, ...(next.status !== 'approved' && withoutGrant) };
}

/** Returns true if the time allows the action. From the deadline on, a request can only expire. */
export function isDue(
  request: AccessRequest,
  { type }: Pick<AccessRequestAction, 'type'>,
  now: Date,
): boolean {
  const hasExpired = statusAt(request, now) !== request.status;
  if (type === 'remind') {
    return !hasExpired && request.expiringAt !== null && request.expiringAt <= now;
  }
  return hasExpired === (type === 'expire');
}

function effectOf(
  request: AccessRequest,
  action: AccessRequestAction,
  now: Date,
): Partial<AccessRequest> {
  switch (action.type) {
    case 'approve':
      return {
        decidedAt: now,
        reason: null,
        ...approve(request, action),
        ...endAt(request, action, now),
      };
    case 'decline':
      return {
        decidedAt: now,
        reason: action.reason,
        pendingScopes: [],
        pendingPurpose: null,
        additionDeclined: true,
      };
    case 'revoke':
      return { decidedAt: now, reason: action.reason };
    case 'extend':
      return { decidedAt: now, ...extend(request, action, now) };
    case 'amend':
      return amend(request, action);
    case 'remind':
      return { expiringAt: null };
    case 'withdraw':
      return { deadlineAt: now };
    default:
      return {};
  }
}

type ActionOf<Type extends AccessRequestAction['type']> = Extract<
  AccessRequestAction,
  { type: Type }
>;

function approve(request: AccessRequest, { scopes }: ActionOf<'approve'>): Partial<AccessRequest> {
  const { requestedScopes, approvedScopes } = request;
  const requested = allRequestedScopes(request);
  const undecided = undecidedScopes(request);
  const approved: readonly string[] = scopes ?? undecided;
  const foreign = approved.filter((scope) => !isSubset([scope], requested));
  ensureDecision(
    foreign.length === 0,
    `Cannot approve what was not requested: ${foreign.join(', ')}.`,
    { param: 'scopes', allowed: requested },
  );
  ensureDecision(
    undecided.some((scope) => approved.includes(scope)),
    'An approval needs at least one of the requested scopes.',
    { param: 'scopes', allowed: undecided },
  );
  const isApproved = (scope: GrantableScope) =>
    approved.includes(scope) || approvedScopes.includes(scope);
  return {
    requestedScopes: requested.filter(
      (scope) => requestedScopes.includes(scope) || isApproved(scope),
    ),
    approvedScopes: requested.filter(isApproved),
    previousScopes: approvedScopes,
    pendingScopes: [],
    purpose: request.pendingPurpose ?? request.purpose,
    pendingPurpose: null,
  };
}

function extend(
  request: AccessRequest,
  action: ActionOf<'extend'>,
  now: Date,
): Partial<AccessRequest> {
  ensureDecision(
    !(action.expiresAt <= request.deadlineAt),
    'An extension must end later than the grant does.',
    { param: 'expiresAt' },
  );
  return endAt(request, action, now);
}

function amend(
  request: AccessRequest,
  { scopes, purpose }: ActionOf<'amend'>,
): Partial<AccessRequest> {
  const amendments = request.amendments + 1;
  if (request.status === 'pending') {
    return {
      amendments,
      requestedScopes: foldScopes([...request.requestedScopes, ...scopes]),
      purpose: purpose ?? request.purpose,
    };
  }
  const wanted = foldScopes([...request.pendingScopes, ...scopes]);
  return {
    amendments,
    pendingScopes: wanted.filter((scope) => !request.approvedScopes.includes(scope)),
    pendingPurpose: purpose ?? request.pendingPurpose,
    additionDeclined: false,
  };
}

function endAt(
  request: AccessRequest,
  { expiresAt }: { readonly expiresAt: Date },
  now: Date,
): Partial<AccessRequest> {
  ensureDecision(
    isFutureEnd(expiresAt, now),
    `The end of a grant must be later than now (${now.toISOString()}) and before the year 10000.`,
    { param: 'expiresAt' },
  );
  // If the expiry stays the same, the announcement time stays, too. A new time could drop an announcement that is due
  // but not sent yet.
  if (isSameInstant(expiresAt, request.expiresAt)) return {};
  const noticeAt = addDays(expiresAt, -daysOfNotice);
  return { expiresAt, deadlineAt: expiresAt, expiringAt: noticeAt > now ? noticeAt : null };
}

function ensureDecision(condition: boolean, message: string, details: ErrorDetails = {}): void {
  if (!condition) throw new AccessError('invalid_decision', { message, details });
}
