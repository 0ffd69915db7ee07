import { AccessError, type ErrorDetails } from '../errors.ts';
import { addDays, earlierOf, isFutureEnd, isSameInstant } from '../time.ts';
import {
  type AccessRequest,
  type Approval,
  allRequestedScopes,
  coveringTerms,
  daysOfUse,
  endOfUse,
  isSubset,
  stateOf,
  statusAt,
  type Transition,
  transitions,
  undecidedScopes,
  withoutGrant,
} from './access-request.ts';
import { foldScopes, type GrantableScope } from './scopes.ts';
import {
  type AccessTerms,
  allowsMetric,
  fillTerms,
  isWithinTerms,
  maxTermKeys,
  noLimits,
  type PartialTerms,
  uniteTerms,
} from './terms.ts';

export type AccessRequestAction =
  | {
      readonly type: 'approve';
      /** If absent, all undecided scopes are approved. */
      readonly scopes?: readonly string[] | undefined;
      /** If a member is absent, the requested value applies, or the granted value if no new terms are requested. */
      readonly terms?: PartialTerms | undefined;
      readonly expiresAt: Date;
      /** False if the grant ends at the default time. The company is then asked for a review. */
      readonly isEndChosen?: boolean;
      readonly reason?: string | null | undefined;
      /** Both approvals, at a company that requires two. */
      readonly approvals?: readonly Approval[];
    }
  | { readonly type: 'confirm'; readonly approval: Approval }
  | { readonly type: 'decline'; readonly reason: string | null }
  | { readonly type: 'revoke'; readonly reason: string | null }
  | { readonly type: 'extend'; readonly expiresAt: Date }
  | {
      readonly type: 'amend';
      readonly scopes: readonly GrantableScope[];
      /** Absent members stay as they are. */
      readonly terms?: PartialTerms | undefined;
      readonly purpose: string | null;
    }
  | {
      readonly type: 'narrow';
      /** The scopes that stay. If absent, all scopes stay. */
      readonly scopes?: readonly string[] | undefined;
      /** If a member is absent, the grant keeps its value. */
      readonly terms?: PartialTerms | undefined;
    }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'startUse' }
  | { readonly type: 'withdraw' }
  | { readonly type: 'remind' }
  | { readonly type: 'review' }
  | { readonly type: 'expire' };

/** The number of days between the announcement and the expiry of a grant. */
export const daysOfNotice = 7;

/** The number of days after which a company is asked about a grant whose end it didn't choose. */
export const daysUntilReview = 90;

/** @throws AccessError `illegal_transition` with the state, `invalid_decision` with the problem, or `invalid_parameter` */
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
  if (type === 'remind') return !hasExpired && isPast(request.expiringAt, now);
  if (type === 'review') return !hasExpired && isPast(request.reviewAt, now);
  return hasExpired === (type === 'expire');
}

const isPast = (instant: Date | null, now: Date) => instant !== null && instant <= now;

function effectOf(
  request: AccessRequest,
  action: AccessRequestAction,
  now: Date,
): Partial<AccessRequest> {
  switch (action.type) {
    case 'approve': {
      const approved = approve(request, action);
      return {
        decidedAt: now,
        reason: action.reason ?? null,
        ...approved,
        ...endAt({ ...request, ...approved }, action, now),
        reviewAt: reviewTime(action, now),
      };
    }
    case 'confirm':
      return { approvals: [action.approval] };
    case 'decline':
      return {
        decidedAt: now,
        reason: action.reason,
        pendingScopes: [],
        pendingTerms: null,
        pendingPurpose: null,
        additionDeclined: true,
        approvals: [],
      };
    case 'revoke':
      return { decidedAt: now, reason: action.reason };
    case 'extend':
      return { decidedAt: now, ...extend(request, action, now), reviewAt: null };
    case 'narrow':
      return { decidedAt: now, ...narrow(request, action) };
    case 'pause':
      return { pausedAt: request.pausedAt ?? now };
    case 'resume':
      return { pausedAt: null };
    case 'startUse':
      return { firstReadAt: now, ...endAfterUse(request, now) };
    case 'amend':
      return amend(request, action);
    case 'remind':
      return { expiringAt: null };
    case 'review':
      return { reviewAt: null };
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

function approve(
  request: AccessRequest,
  { scopes, terms = {}, approvals = [] }: ActionOf<'approve'>,
): Partial<AccessRequest> {
  const { requestedScopes, approvedScopes } = request;
  const requested = allRequestedScopes(request);
  const undecided = undecidedScopes(request);
  const approved: readonly string[] = scopes ?? undecided;
  const foreign = approved.filter((scope) => !isSubset([scope], requested));
  ensureDecision(
    foreign.length === 0,
    `Cannot approve these scopes, because they were not requested: ${foreign.join(', ')}.`,
    { param: 'scopes', allowed: requested },
  );
  ensureDecision(
    undecided.length === 0
      ? scopes?.length !== 0
      : undecided.some((scope) => approved.includes(scope)),
    'An approval needs at least one of the requested scopes.',
    { param: 'scopes', allowed: undecided },
  );
  const approvable = coveringTerms(request);
  const approvedTerms = fillTerms(terms, approvable);
  ensureWithin(approvedTerms, approvable, 'Cannot approve wider terms than the requested ones.');
  const isApproved = (scope: GrantableScope) =>
    approved.includes(scope) || approvedScopes.includes(scope);
  return {
    requestedScopes: requested.filter(
      (scope) => requestedScopes.includes(scope) || isApproved(scope),
    ),
    approvedScopes: requested.filter(isApproved),
    previousScopes: approvedScopes,
    pendingScopes: [],
    requestedTerms:
      request.status === 'pending'
        ? request.requestedTerms
        : uniteTerms(request.requestedTerms, approvedTerms),
    approvedTerms,
    firstReadAt: firstReadUnder(approvedTerms, request),
    pendingTerms: null,
    approvals,
    purpose: request.pendingPurpose ?? request.purpose,
    pendingPurpose: null,
  };
}

function narrow(
  request: AccessRequest,
  { scopes = request.approvedScopes, terms = {} }: ActionOf<'narrow'>,
): Partial<AccessRequest> {
  const { approvedScopes, previousScopes, approvedTerms, pendingTerms } = request;
  ensureDecision(
    scopes.length > 0 && isSubset(scopes, approvedScopes),
    'A grant can only be narrowed to some of its scopes, at least one.',
    { param: 'scopes', allowed: approvedScopes },
  );
  const narrower = fillTerms(terms, approvedTerms);
  ensureWithin(
    narrower,
    approvedTerms,
    'A grant can only be narrowed to terms within its present terms.',
  );
  return {
    approvedScopes: approvedScopes.filter((scope) => scopes.includes(scope)),
    previousScopes: previousScopes.filter((scope) => scopes.includes(scope)),
    approvedTerms: narrower,
    pendingTerms:
      pendingTerms && approvedTerms && narrower
        ? narrowAddition(pendingTerms, approvedTerms, narrower)
        : pendingTerms,
    firstReadAt: firstReadUnder(narrower, request),
  };
}

/**
 * Removes from an addition what the company removes from the grant. The addition keeps what it asks for in addition to
 * the grant. So its approval doesn't give back what was removed.
 */
function narrowAddition(
  added: AccessTerms,
  former: AccessTerms,
  narrower: AccessTerms,
): AccessTerms {
  const isRemoved = (key: string) => allowsMetric(former, key) && !allowsMetric(narrower, key);
  return {
    use: added.use === former.use ? narrower.use : added.use,
    metricKeys:
      former.metricKeys === null
        ? narrower.metricKeys
        : (added.metricKeys?.filter((key) => !isRemoved(key)) ?? null),
    historyFrom:
      added.historyFrom === former.historyFrom ? narrower.historyFrom : added.historyFrom,
  };
}

/** Returns the first read of a grant that stays for one use. If it becomes a grant for one use, the use starts again. */
const firstReadUnder = (
  next: AccessTerms | null,
  { approvedTerms, firstReadAt }: AccessRequest,
): Date | null => (next?.use === 'once' && approvedTerms?.use === 'once' ? firstReadAt : null);

function ensureWithin(inner: AccessTerms | null, outer: AccessTerms | null, message: string): void {
  ensureDecision(isWithinTerms(inner, outer), message, { param: 'terms' });
}

function endAfterUse(request: AccessRequest, now: Date): Partial<AccessRequest> {
  const end = earlierOf(request.deadlineAt, addDays(now, daysOfUse));
  return { expiresAt: end, deadlineAt: end, expiringAt: null, reviewAt: null };
}

function reviewTime({ isEndChosen = true, expiresAt }: ActionOf<'approve'>, now: Date) {
  const reviewAt = addDays(now, daysUntilReview);
  return isEndChosen || reviewAt >= addDays(expiresAt, -daysOfNotice) ? null : reviewAt;
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
  { scopes, terms = {}, purpose }: ActionOf<'amend'>,
): Partial<AccessRequest> {
  const amendments = request.amendments + 1;
  const added = fillTerms(terms, coveringTerms(request));
  if (request.status === 'pending') {
    const { requestedTerms } = request;
    return {
      amendments,
      approvals: [],
      requestedTerms: widen(requestedTerms, added),
      requestedScopes: foldScopes([...request.requestedScopes, ...scopes]),
      purpose: purpose ?? request.purpose,
    };
  }
  const wanted = foldScopes([...request.pendingScopes, ...scopes]);
  return {
    amendments,
    approvals: [],
    pendingTerms: widerTerms(request, added),
    pendingScopes: wanted.filter((scope) => !request.approvedScopes.includes(scope)),
    pendingPurpose: purpose ?? request.pendingPurpose,
    additionDeclined: false,
  };
}

/** Adds terms to the pending or granted ones. Returns the pending terms if the grant already allows the added ones. */
function widerTerms(
  { approvedTerms, pendingTerms }: AccessRequest,
  added: AccessTerms | null,
): AccessTerms | null {
  if (isWithinTerms(added, approvedTerms)) return pendingTerms;
  return widen(pendingTerms ?? approvedTerms, added) ?? noLimits;
}

function widen(present: AccessTerms | null, added: AccessTerms | null): AccessTerms | null {
  const wider = uniteTerms(present, added);
  if ((wider?.metricKeys?.length ?? 0) <= maxTermKeys) return wider;
  throw new AccessError('invalid_parameter', {
    message: `The present and the new terms together can name at most ${maxTermKeys} metrics.`,
    details: { param: 'terms' },
  });
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
  const lastEnd = endOfUse(request);
  ensureDecision(
    lastEnd === null || expiresAt <= lastEnd,
    `A grant for one use ends 24 hours after its first read (${lastEnd?.toISOString()}). To give access for longer, approve a new request.`,
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
