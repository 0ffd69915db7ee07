import type { AccessEventType, Actor } from '../events/event-type.ts';
import { addDays } from '../time.ts';
import { foldScopes, type GrantableScope, grantableScopes, type Scope } from './scopes.ts';
import { type AccessTerms, isSameTerms, isWithinTerms, uniteTerms } from './terms.ts';

export const accessRequestStatuses = [
  'pending',
  'approved',
  'declined',
  'expired',
  'revoked',
] as const;

export type AccessRequestStatus = (typeof accessRequestStatuses)[number];

/** One of two approvals that a company requires. */
export interface Approval {
  readonly actor: Actor;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly scopes: readonly GrantableScope[];
  readonly terms: AccessTerms | null;
  /** RFC 3339. Null if the actor chose no end. */
  readonly expiresAt: string | null;
}

export interface AccessRequest {
  readonly id: string;
  readonly investorId: string;
  readonly companyId: string;
  readonly requestedScopes: readonly GrantableScope[];
  /** Empty before the approval. */
  readonly approvedScopes: readonly GrantableScope[];
  /** The approved scopes before the last addition was approved. They help to recognise a repeated approval. */
  readonly previousScopes: readonly GrantableScope[];
  /** The scopes of an addition to a grant, before the company decides. */
  readonly pendingScopes: readonly GrantableScope[];
  /** Null if the investor asked for access without limits. */
  readonly requestedTerms: AccessTerms | null;
  /** The limits of the grant. Null for a grant without limits, and before the approval. */
  readonly approvedTerms: AccessTerms | null;
  /** The wider terms of an addition, before the company decides. Terms without any limit are `noLimits`, not null. */
  readonly pendingTerms: AccessTerms | null;
  /** At a company that requires two: the first approval while the request waits, then both. Else empty. */
  readonly approvals: readonly Approval[];
  /** The stored status. A periodic job stores the expiry some time after the deadline, so use `statusAt`. */
  readonly status: AccessRequestStatus;
  /** Opaque text. Changes whenever a fact changes that a decision depends on. */
  readonly version: string;
  readonly amendments: number;
  readonly purpose: string | null;
  /** True if the company declined the request or the last addition to it. False while a new addition waits. */
  readonly additionDeclined: boolean;
  /** The purpose of an addition. It replaces the purpose of the request when the company approves the addition. */
  readonly pendingPurpose: string | null;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
  /** The time when the grant expires. Null before the approval. */
  readonly expiresAt: Date | null;
  /**
   * The time when a live request expires: a pending request without an answer, or an approved request with its grant. A
   * withdrawn request also gets the status `expired`. Its deadline becomes the time of the withdrawal, so every expired
   * request ended at its deadline.
   */
  readonly deadlineAt: Date;
  /** The time to announce that the grant will expire. Null after the announcement, or if no announcement is planned. */
  readonly expiringAt: Date | null;
  /** The time to ask whether the grant should continue. Null after the question, or if no question is planned. */
  readonly reviewAt: Date | null;
  /** The time when the company paused the grant. Null if the grant isn't paused. */
  readonly pausedAt: Date | null;
  /** The time of the first read of a grant for one use. Null before that read, and for all other grants. */
  readonly firstReadAt: Date | null;
  readonly lastEventType: AccessEventType;
}

/** A status, or `amended`: a grant with an addition of scopes or terms that waits for a decision. */
export type AccessRequestState = AccessRequestStatus | 'amended';

export interface Transition {
  readonly status: AccessRequestStatus;
  readonly event: AccessEventType;
}

const leadsTo = (status: AccessRequestStatus, event: AccessEventType): Transition => ({
  status,
  event,
});

const duringGrant = {
  extend: leadsTo('approved', 'access_request.extended'),
  amend: leadsTo('approved', 'access_request.amended'),
  narrow: leadsTo('approved', 'access_request.narrowed'),
  pause: leadsTo('approved', 'access_request.paused'),
  resume: leadsTo('approved', 'access_request.resumed'),
  startUse: leadsTo('approved', 'access_request.first_read'),
  remind: leadsTo('approved', 'access_request.expiring'),
  review: leadsTo('approved', 'access_request.review_due'),
  revoke: leadsTo('revoked', 'access_request.revoked'),
  withdraw: leadsTo('expired', 'access_request.withdrawn'),
  expire: leadsTo('expired', 'access_request.expired'),
};

/** The allowed actions in each state. Each action leads to a status and an event. A state without actions is final. */
export const transitions = {
  pending: {
    confirm: leadsTo('pending', 'access_request.approval_added'),
    approve: leadsTo('approved', 'access_request.approved'),
    decline: leadsTo('declined', 'access_request.declined'),
    amend: leadsTo('pending', 'access_request.amended'),
    withdraw: leadsTo('expired', 'access_request.withdrawn'),
    expire: leadsTo('expired', 'access_request.expired'),
  },
  approved: duringGrant,
  amended: {
    ...duringGrant,
    confirm: leadsTo('approved', 'access_request.approval_added'),
    approve: leadsTo('approved', 'access_request.approved'),
    decline: leadsTo('approved', 'access_request.amendment_declined'),
  },
  declined: {},
  expired: {},
  revoked: {},
} as const satisfies Record<AccessRequestState, Readonly<Record<string, Transition>>>;

const accessRequestIdPattern = /^ar_[0-9A-Za-z]{1,64}$/;

/** Returns true if the text has the form of a request ID. Any other text needs no lookup. */
export function isAccessRequestId(text: string): boolean {
  return accessRequestIdPattern.test(text);
}

/** Returns true if the stored status is live. An investor has at most one live request per company. */
export function isLive(request: Pick<AccessRequest, 'status'>): boolean {
  return request.status === 'pending' || request.status === 'approved';
}

/** Returns the status at a time. From its deadline on, a live request is `expired`, even if this isn't stored yet. */
export function statusAt(
  request: Pick<AccessRequest, 'status' | 'deadlineAt'>,
  now: Date,
): AccessRequestStatus {
  return isLive(request) && request.deadlineAt.getTime() <= now.getTime()
    ? 'expired'
    : request.status;
}

/** Returns the time when the request ended. Null while the request is live. Expects the result of `asOf`. */
export function findEndedAt({
  status,
  decidedAt,
  deadlineAt,
}: Pick<AccessRequest, 'status' | 'decidedAt' | 'deadlineAt'>): Date | null {
  if (isLive({ status })) return null;
  return status === 'expired' ? deadlineAt : decidedAt;
}

/** Returns the time when an unanswered request expires. Null unless the request is pending. */
export const answerBy = ({
  status,
  deadlineAt,
}: Pick<AccessRequest, 'status' | 'deadlineAt'>): Date | null =>
  status === 'pending' ? deadlineAt : null;

/** The empty values of the fields that only a grant has. */
export const withoutGrant = {
  pendingScopes: [],
  pendingTerms: null,
  pendingPurpose: null,
  additionDeclined: false,
  expiringAt: null,
  reviewAt: null,
  pausedAt: null,
} as const;

export const newRequestFields = {
  ...withoutGrant,
  status: 'pending',
  amendments: 0,
  approvedScopes: [],
  previousScopes: [],
  approvedTerms: null,
  approvals: [],
  firstReadAt: null,
  reason: null,
  decidedAt: null,
  expiresAt: null,
  lastEventType: 'access_request.created',
} as const;

/** Returns the request with its status at a time. Includes an expiry that isn't stored yet. */
export function asOf(request: AccessRequest, now: Date): AccessRequest {
  const status = statusAt(request, now);
  return status === request.status
    ? request
    : { ...request, ...withoutGrant, status, version: expiredVersion(request) };
}

/** Returns the version of an expired request. It is the same before and after a periodic job stores the expiry. */
export const expiredVersion = ({ version }: Pick<AccessRequest, 'version'>): string =>
  `${version}-e`;

/** The number of days that a grant for one use lasts after its first read. */
export const daysOfUse = 1;

/** Returns the time after which a grant for one use can't be extended. Null before its first read, and for other grants. */
export const endOfUse = ({ firstReadAt }: Pick<AccessRequest, 'firstReadAt'>): Date | null =>
  firstReadAt && addDays(firstReadAt, daysOfUse);

type Scoped = Pick<
  AccessRequest,
  'status' | 'requestedScopes' | 'approvedScopes' | 'pendingScopes'
>;

/** Returns the scopes that a live request doesn't cover. A request covers the scopes that it requests or grants. */
export function uncoveredScopes<S extends Scope>(
  { status, requestedScopes, approvedScopes, pendingScopes }: Scoped,
  requested: readonly S[],
): S[] {
  const covering = status === 'pending' ? requestedScopes : [...approvedScopes, ...pendingScopes];
  return requested.filter((scope) => !isSubset([scope], covering));
}

type Limited = Pick<AccessRequest, 'status' | 'requestedTerms' | 'approvedTerms' | 'pendingTerms'>;

/** Returns true if a live request covers the scopes and the terms. A repeated request is covered, too. */
export function covers(
  request: Scoped & Limited,
  scopes: readonly Scope[],
  terms: AccessTerms | null,
): boolean {
  const { requestedScopes } = request;
  const isRepeat = isSubset(scopes, requestedScopes) && isSubset(requestedScopes, scopes);
  return (isRepeat || uncoveredScopes(request, scopes).length === 0) && coversTerms(request, terms);
}

export const coversTerms = (request: Limited, terms: AccessTerms | null): boolean =>
  isSameTerms(terms, request.requestedTerms) || isWithinTerms(terms, coveringTerms(request));

/** Returns the terms that a live request asks for or grants. */
export const coveringTerms = ({
  status,
  requestedTerms,
  approvedTerms,
  pendingTerms,
}: Limited): AccessTerms | null =>
  status === 'pending' ? requestedTerms : (pendingTerms ?? approvedTerms);

export function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((element) => whole.includes(element));
}

/** Returns all requested scopes, including the scopes of an addition that waits for a decision. */
export function allRequestedScopes({
  requestedScopes,
  pendingScopes,
}: Pick<AccessRequest, 'requestedScopes' | 'pendingScopes'>): GrantableScope[] {
  return foldScopes([...requestedScopes, ...pendingScopes]);
}

/** Returns all requested terms, including the terms of an addition that waits for a decision. */
export const allRequestedTerms = ({
  requestedTerms,
  pendingTerms,
}: Pick<AccessRequest, 'requestedTerms' | 'pendingTerms'>): AccessTerms | null =>
  pendingTerms === null ? requestedTerms : uniteTerms(requestedTerms, pendingTerms);

type Addable = Pick<AccessRequest, 'status' | 'pendingScopes' | 'pendingTerms'>;

export function stateOf({ status, pendingScopes, pendingTerms }: Addable): AccessRequestState {
  const isAmended = pendingScopes.length > 0 || pendingTerms !== null;
  return status === 'approved' && isAmended ? 'amended' : status;
}

type ActionType = {
  [State in AccessRequestState]: keyof (typeof transitions)[State];
}[AccessRequestState];

/** Returns true if the state allows the action. The fields of the action can still be invalid. */
export function isPossible(request: Addable, type: ActionType): boolean {
  return type in transitions[stateOf(request)];
}

export function eventsOf(type: ActionType): ReadonlySet<AccessEventType> {
  const permitted: Partial<Record<ActionType, Transition>>[] = Object.values(transitions);
  return new Set(permitted.flatMap((row) => row[type]?.event ?? []));
}

export const awaitsDecision = (request: Addable): boolean => isPossible(request, 'approve');

/** Returns the scopes that wait for a decision: those of a pending request or of an addition. */
export function undecidedScopes(
  request: Addable & Pick<AccessRequest, 'requestedScopes'>,
): readonly GrantableScope[] {
  if (!awaitsDecision(request)) return [];
  return stateOf(request) === 'amended' ? request.pendingScopes : request.requestedScopes;
}

/** Returns the scopes that the investor can request: all scopes that a live request doesn't cover. */
export const requestableScopes = (newest: Scoped | null): readonly GrantableScope[] =>
  newest !== null && isLive(newest) ? uncoveredScopes(newest, grantableScopes) : grantableScopes;

/** Returns the purpose of an addition that waits for a decision, or else the purpose of the request. */
export const latestPurpose = (
  request: Addable & Pick<AccessRequest, 'purpose' | 'pendingPurpose'>,
): string | null => (stateOf(request) === 'amended' ? request.pendingPurpose : request.purpose);
