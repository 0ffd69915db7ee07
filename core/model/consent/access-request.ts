import type { AccessEventType } from '../events/event-type.ts';
import { foldScopes, type GrantableScope, grantableScopes, type Scope } from './scopes.ts';

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
  /** The scopes before the last approval added to them; a repetition of that approval is recognised by them. */
  readonly previousScopes: readonly GrantableScope[];
  /** What the investor asks for in addition to a grant, and the company has not decided on. */
  readonly pendingScopes: readonly GrantableScope[];
  /** As last written. Between a deadline and the sweeper this lags behind: ask statusAt. */
  readonly status: AccessRequestStatus;
  /** Opaque text that changes with everything that a decision rests on. */
  readonly version: string;
  /** How often the investor has changed what it asks for. */
  readonly amendments: number;
  readonly purpose: string | null;
  /** Whether the last decision about an addition to the grant was to decline it; false while a new addition waits. */
  readonly additionDeclined: boolean;
  /** What the addition is for; it becomes the purpose when the addition is approved. */
  readonly pendingPurpose: string | null;
  /** Why the company declined or revoked, in its own words. */
  readonly reason: string | null;
  readonly createdAt: Date;
  /** When the company last decided. */
  readonly decidedAt: Date | null;
  /** The end of the grant; null until there is one. */
  readonly expiresAt: Date | null;
  /**
   * The instant at which a live request ends by itself: unanswered when pending, expired when approved. A withdrawal
   * moves it to the instant of the withdrawal, so an expired request ended at its deadline.
   */
  readonly deadlineAt: Date;
  /** When it is announced that the grant is about to end; null when it was announced, or will not be. */
  readonly expiringAt: Date | null;
  /** The type of its newest event. */
  readonly lastEventType: AccessEventType;
}

/** A status, or that of a grant with an addition that the company has not decided on. */
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
  remind: leadsTo('approved', 'access_request.expiring'),
  revoke: leadsTo('revoked', 'access_request.revoked'),
  withdraw: leadsTo('expired', 'access_request.withdrawn'),
  expire: leadsTo('expired', 'access_request.expired'),
};

/** From each state, what can happen, where it leads and what is told of it. A state without a way out is final. */
export const transitions = {
  pending: {
    approve: leadsTo('approved', 'access_request.approved'),
    decline: leadsTo('declined', 'access_request.declined'),
    amend: leadsTo('pending', 'access_request.amended'),
    withdraw: leadsTo('expired', 'access_request.withdrawn'),
    expire: leadsTo('expired', 'access_request.expired'),
  },
  approved: duringGrant,
  amended: {
    ...duringGrant,
    approve: leadsTo('approved', 'access_request.approved'),
    decline: leadsTo('approved', 'access_request.amendment_declined'),
  },
  declined: {},
  expired: {},
  revoked: {},
} as const satisfies Record<AccessRequestState, Readonly<Record<string, Transition>>>;

const accessRequestIdPattern = /^ar_[0-9A-Za-z]{1,64}$/;

/** A malformed id belongs to no request, so nothing needs to be looked up for it. */
export function isAccessRequestId(text: string): boolean {
  return accessRequestIdPattern.test(text);
}

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

/** Returns the time when a request stopped being live, or null while it is live. Pass the request through `asOf` first. */
export function endedAt({
  status,
  decidedAt,
  deadlineAt,
}: Pick<AccessRequest, 'status' | 'decidedAt' | 'deadlineAt'>): Date | null {
  if (isLive({ status })) return null;
  return status === 'expired' ? deadlineAt : decidedAt;
}

/** When a pending request expires unless the company answers; null for any other request. */
export const answerBy = ({
  status,
  deadlineAt,
}: Pick<AccessRequest, 'status' | 'deadlineAt'>): Date | null =>
  status === 'pending' ? deadlineAt : null;

/** The descriptions of the two fields, the same in each protocol. */
export const endDescriptions = {
  endedAt:
    'When the request was declined, revoked or withdrawn, or when it expired; null while it is pending or approved.',
  answerBy:
    'When the request expires unless the company answers; null unless the request is pending.',
} as const;

/** What only a grant has. */
export const withoutGrant = {
  pendingScopes: [],
  pendingPurpose: null,
  additionDeclined: false,
  expiringAt: null,
} as const;

/** What every request begins with. */
export const undecided = {
  ...withoutGrant,
  status: 'pending',
  amendments: 0,
  approvedScopes: [],
  previousScopes: [],
  reason: null,
  decidedAt: null,
  expiresAt: null,
  lastEventType: 'access_request.created',
} as const;

/** The request as it stands now, whether or not its end was written down. */
export function asOf(request: AccessRequest, now: Date): AccessRequest {
  const status = statusAt(request, now);
  return status === request.status
    ? request
    : { ...request, ...withoutGrant, status, version: expiredVersion(request) };
}

/** The version of an expired request: the same before and after the sweeper has written the end down. */
export const expiredVersion = ({ version }: Pick<AccessRequest, 'version'>): string =>
  `${version}-e`;

type Scoped = Pick<
  AccessRequest,
  'status' | 'requestedScopes' | 'approvedScopes' | 'pendingScopes'
>;

/** Which of the asked scopes a live request has neither been granted nor waits for. */
export function uncoveredScopes<S extends Scope>(
  { status, requestedScopes, approvedScopes, pendingScopes }: Scoped,
  asked: readonly S[],
): S[] {
  const covering = status === 'pending' ? requestedScopes : [...approvedScopes, ...pendingScopes];
  return asked.filter((scope) => !isSubset([scope], covering));
}

/** Whether asking for these scopes asks a live request for nothing new, or repeats the very request. */
export function covers(request: Scoped, asked: readonly Scope[]): boolean {
  const { requestedScopes } = request;
  const isRepeat = isSubset(asked, requestedScopes) && isSubset(requestedScopes, asked);
  return isRepeat || uncoveredScopes(request, asked).length === 0;
}

export function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((element) => whole.includes(element));
}

/** What was asked for at any time, in the order in which it was. */
export function askedScopes({
  requestedScopes,
  pendingScopes,
}: Pick<AccessRequest, 'requestedScopes' | 'pendingScopes'>): GrantableScope[] {
  return foldScopes([...requestedScopes, ...pendingScopes]);
}

/** The row of the transition table that applies to the request. */
export function stateOf({
  status,
  pendingScopes,
}: Pick<AccessRequest, 'status' | 'pendingScopes'>): AccessRequestState {
  return status === 'approved' && pendingScopes.length > 0 ? 'amended' : status;
}

type ActionType = {
  [State in AccessRequestState]: keyof (typeof transitions)[State];
}[AccessRequestState];

/** Whether the state of the request lets an action happen to it; what the action says may still be refused. */
export function isPossible(
  request: Pick<AccessRequest, 'status' | 'pendingScopes'>,
  type: ActionType,
): boolean {
  return type in transitions[stateOf(request)];
}

/** The types of the events that an action leads to, from any state. */
export function eventsOf(type: ActionType): ReadonlySet<AccessEventType> {
  const permitted: Partial<Record<ActionType, Transition>>[] = Object.values(transitions);
  return new Set(permitted.flatMap((row) => row[type]?.event ?? []));
}

/** Whether the company still has to decide on it, or on an addition to it. */
export const awaitsDecision = (request: Pick<AccessRequest, 'status' | 'pendingScopes'>): boolean =>
  isPossible(request, 'approve');

/** The scopes that the company has not decided on: those of a pending request, or of an addition to a grant. */
export function undecidedScopes(
  request: Pick<AccessRequest, 'status' | 'requestedScopes' | 'pendingScopes'>,
): readonly GrantableScope[] {
  if (!awaitsDecision(request)) return [];
  return stateOf(request) === 'amended' ? request.pendingScopes : request.requestedScopes;
}

/** What an investor can ask for whose newest request this is: in addition to a live one, else all. */
export const askableScopes = (newest: Scoped | null): readonly GrantableScope[] =>
  newest !== null && isLive(newest) ? uncoveredScopes(newest, grantableScopes) : grantableScopes;

/** What the undecided scopes are for; once all is decided, what the request was for. */
export const latestPurpose = (
  request: Pick<AccessRequest, 'status' | 'pendingScopes' | 'purpose' | 'pendingPurpose'>,
): string | null => (stateOf(request) === 'amended' ? request.pendingPurpose : request.purpose);
