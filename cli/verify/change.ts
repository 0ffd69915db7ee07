import type { ReceiptPayload } from '#verify';
import { isObject, type JsonObject } from './json-document.ts';

/** A change of an access request with its receipt, whatever names the protocol has for them. */
export interface Change {
  readonly id: unknown;
  readonly type: unknown;
  readonly createdAt: unknown;
  readonly request: JsonObject;
  /** Whether the request has all of its members that are not empty; GraphQL brings those that were asked for. */
  readonly isWhole: boolean;
  /** Undefined or null while it is not signed. */
  readonly receipt: unknown;
}

/** @returns null when it is no change */
export function readChange(value: JsonObject): Change | null {
  return readEvent(value) ?? readLiveUpdate(value);
}

/** An item of a feed of events, or what a webhook brings. */
function readEvent({ id, type, created_at: createdAt, data }: JsonObject): Change | null {
  if (typeof type !== 'string' || !isObject(data) || !isObject(data.access_request)) return null;
  const { access_request: request, receipt } = data;
  return { id, type, createdAt, request, isWhole: true, receipt };
}

/** What a subscription of GraphQL or tRPC brings. */
function readLiveUpdate(value: JsonObject): Change | null {
  if (!Object.hasOwn(value, 'receipt')) return null;
  const { id, type, createdAt, accessRequest, receipt } = value;
  const request = isObject(accessRequest) ? accessRequest : {};
  return { id, type, createdAt, request, isWhole: false, receipt };
}

type Pair = readonly [part: string, there: unknown, signed: unknown];

/** Which part of a change is not what its receipt says, if any; the body of a webhook has no id, which is in a header. */
export function findDifference(change: Change, signed: ReceiptPayload): string | undefined {
  const { id, type, createdAt, request } = change;
  const pairs: readonly Pair[] = [
    ['id', id, signed.event_id],
    ['type', wordOf(type, 'access_request.'), signed.event_type],
    ['the instant', createdAt, signed.issued_at],
    ['id of the request', request.id, signed.access_request_id],
    ['status of the request', wordOf(request.status), signed.status],
    ['purpose of the request', purposeOf(change), signed.purpose],
    ...pairsOfEvent(request, signed),
    ...pairsOfLiveUpdate(request, signed),
  ];
  return pairs.find(([, there, said]) => there !== undefined && there !== said)?.[0];
}

/** That of what is pending is signed in the place of the other. */
function purposeOf({ request, isWhole }: Change): unknown {
  const { pending_purpose, pendingPurpose, purpose } = request;
  const pending = pending_purpose ?? pendingPurpose;
  return pending === undefined && !isWhole ? undefined : (pending ?? purpose);
}

/** What is pending is left out of an event when there is nothing. */
function pairsOfEvent(request: JsonObject, signed: ReceiptPayload): readonly Pair[] {
  const { company_id, investor, requested_scopes, approved_scopes, expires_at } = request;
  const { pending_scopes = [] } = request;
  const asked = requested_scopes && scopesOf(requested_scopes, pending_scopes);
  return [
    ['company of the request', company_id, signed.data_subject.id],
    [
      'investor of the request',
      isObject(investor) ? investor.id : undefined,
      signed.data_recipient.id,
    ],
    ['requested_scopes', asked, scopesOf(signed.requested_scopes)],
    [
      'approved_scopes',
      approved_scopes && scopesOf(approved_scopes),
      scopesOf(signed.approved_scopes),
    ],
    ['expires_at', expires_at, signed.valid_until],
  ];
}

/** Scopes that were asked for are signed together with pending ones, so one without the other cannot be compared. */
function pairsOfLiveUpdate(request: JsonObject, signed: ReceiptPayload): readonly Pair[] {
  const { companyId, requestedScopes, pendingScopes, approvedScopes, expiresAt } = request;
  const asked = requestedScopes && pendingScopes && scopesOf(requestedScopes, pendingScopes);
  return [
    ['company of the request', companyId, signed.data_subject.id],
    ['requestedScopes', asked, scopesOf(signed.requested_scopes)],
    [
      'approvedScopes',
      approvedScopes && scopesOf(approvedScopes),
      scopesOf(signed.approved_scopes),
    ],
    ['expiresAt', expiresAt, signed.valid_until],
  ];
}

/** GraphQL has names for what are words elsewhere: `APPROVED` is `access_request.approved` as a type. */
function wordOf(text: unknown, prefix = ''): unknown {
  return typeof text === 'string' && /^[A-Z_]+$/.test(text) ? prefix + text.toLowerCase() : text;
}

/** As one text; `METRICS_READ` is what `metrics:read` is called in GraphQL. */
function scopesOf(...lists: readonly unknown[]): string {
  const words = lists.flat().map((scope) => {
    const word = wordOf(scope);
    return typeof word === 'string' ? word.replace('_', ':') : null;
  });
  return JSON.stringify([...new Set(words)]);
}
