import type { ReceiptPayload } from '#verify';
import { isObject, type JsonObject } from './json-document.ts';

/** A change to an access request with its receipt, from any protocol. */
export interface Change {
  readonly id: unknown;
  readonly type: unknown;
  readonly createdAt: unknown;
  readonly request: JsonObject;
  /** False for a GraphQL or tRPC update. A GraphQL response has only the selected fields, so fields may be missing. */
  readonly isWhole: boolean;
  /** Undefined or null if the change isn't signed yet. */
  readonly receipt: unknown;
}

/** @returns null if the value isn't a change to an access request */
export function readChange(value: JsonObject): Change | null {
  return readEvent(value) ?? readLiveUpdate(value);
}

/** An item of an event feed, or the body of a webhook delivery. */
function readEvent({ id, type, created_at: createdAt, data }: JsonObject): Change | null {
  if (typeof type !== 'string' || !isObject(data) || !isObject(data.access_request)) return null;
  const { access_request: request, receipt } = data;
  return { id, type, createdAt, request, isWhole: true, receipt };
}

/** An update from a GraphQL or tRPC subscription. */
function readLiveUpdate(value: JsonObject): Change | null {
  if (!Object.hasOwn(value, 'receipt')) return null;
  const { id, type, createdAt, accessRequest, receipt } = value;
  const request = isObject(accessRequest) ? accessRequest : {};
  return { id, type, createdAt, request, isWhole: false, receipt };
}

type Pair = readonly [part: string, there: unknown, signed: unknown];

/**
 * Returns the name of the first field that differs. The body of a webhook delivery has no ID, so a missing ID is
 * ignored.
 */
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
  return pairs.find(
    ([, changeValue, signedValue]) => changeValue !== undefined && changeValue !== signedValue,
  )?.[0];
}

/** A receipt contains the pending purpose if the request has one, otherwise its current purpose. */
function purposeOf({ request, isWhole }: Change): unknown {
  const { pending_purpose, pendingPurpose, purpose } = request;
  const pending = pending_purpose ?? pendingPurpose;
  return pending === undefined && !isWhole ? undefined : (pending ?? purpose);
}

/** An event omits `pending_scopes` if no scopes are pending. */
function pairsOfEvent(request: JsonObject, signed: ReceiptPayload): readonly Pair[] {
  const { company_id, investor, requested_scopes, approved_scopes, expires_at } = request;
  const { pending_scopes = [] } = request;
  const requested = requested_scopes && scopesOf(requested_scopes, pending_scopes);
  return [
    ['company of the request', company_id, signed.data_subject.id],
    [
      'investor of the request',
      isObject(investor) ? investor.id : undefined,
      signed.data_recipient.id,
    ],
    ['requested_scopes', requested, scopesOf(signed.requested_scopes)],
    [
      'approved_scopes',
      approved_scopes && scopesOf(approved_scopes),
      scopesOf(signed.approved_scopes),
    ],
    ['expires_at', expires_at, signed.valid_until],
    ['paused_at', request.paused_at, limitsOf(signed).paused_at],
    ...pairsOfTerms('requested_terms', signed, request.requested_terms, request.pending_terms),
    ...pairsOfTerms('approved_terms', signed, request.approved_terms),
  ];
}

/** A receipt combines requested and pending scopes, so both must be present in the update. */
function pairsOfLiveUpdate(request: JsonObject, signed: ReceiptPayload): readonly Pair[] {
  const { companyId, requestedScopes, pendingScopes, approvedScopes, expiresAt } = request;
  const requested = requestedScopes && pendingScopes && scopesOf(requestedScopes, pendingScopes);
  return [
    ['company of the request', companyId, signed.data_subject.id],
    ['requestedScopes', requested, scopesOf(signed.requested_scopes)],
    [
      'approvedScopes',
      approvedScopes && scopesOf(approvedScopes),
      scopesOf(signed.approved_scopes),
    ],
    ['expiresAt', expiresAt, signed.valid_until],
    ['pausedAt', request.pausedAt, limitsOf(signed).paused_at],
    ...(request.pendingTerms === undefined
      ? []
      : pairsOfTerms('requested_terms', signed, request.requestedTerms, request.pendingTerms)),
    ...pairsOfTerms('approved_terms', signed, request.approvedTerms),
  ];
}

/** `APPROVED` becomes `access_request.approved`. Returns other values unchanged. */
function wordOf(text: unknown, prefix = ''): unknown {
  return typeof text === 'string' && /^[A-Z_]+$/.test(text) ? prefix + text.toLowerCase() : text;
}

/** Enum names of GraphQL such as `METRICS_READ` become `metrics:read`. */
function scopesOf(...lists: readonly unknown[]): string {
  const words = lists.flat().map((scope) => {
    const word = wordOf(scope);
    return typeof word === 'string' ? word.replace('_', ':') : null;
  });
  return JSON.stringify([...new Set(words)]);
}

type Limits = Pick<
  Extract<ReceiptPayload, { readonly v: 3 }>,
  'requested_terms' | 'approved_terms' | 'paused_at'
>;

/** A receipt of another version belongs to a request without terms that isn't paused. */
const limitsOf = (signed: ReceiptPayload): Limits =>
  signed.v === 3 ? signed : { requested_terms: null, approved_terms: null, paused_at: null };

const noTerms = { metric_keys: null, history_from: null, use: 'ongoing' } as const;
const namesInCamelCase = {
  metric_keys: 'metricKeys',
  history_from: 'historyFrom',
  use: 'use',
} as const;

type TermName = keyof typeof noTerms;

const sortedTexts = (values: readonly unknown[]) =>
  [...new Set(values.map((value) => JSON.stringify(value)))].toSorted();

/** Follows the rules by which a receipt joins requested and pending terms. */
const joinTerm: Readonly<Record<TermName, (values: readonly unknown[]) => string | undefined>> = {
  metric_keys: (lists) => (lists.includes(null) ? 'null' : sortedTexts(lists.flat()).join()),
  history_from: (dates) => (dates.includes(null) ? 'null' : sortedTexts(dates)[0]),
  // In this order, `ongoing` comes after `once`.
  use: (uses) => sortedTexts(uses).at(-1),
};

/** Leaves out a term that the change doesn't have. */
function pairsOfTerms(
  name: 'requested_terms' | 'approved_terms',
  signed: ReceiptPayload,
  terms: unknown,
  pending: unknown = null,
): readonly Pair[] {
  const signedTerms = limitsOf(signed)[name] ?? noTerms;
  const all = pending === null ? [terms] : [terms, pending];
  return (Object.keys(noTerms) as TermName[]).map((term) => {
    const values = all.map((each) => readTerm(each, term));
    const found = values.includes(undefined) ? undefined : joinTerm[term](values);
    return [`${name}.${term}`, found, joinTerm[term]([signedTerms[term]])];
  });
}

function readTerm(terms: unknown, term: TermName): unknown {
  if (!isObject(terms)) return terms === null ? noTerms[term] : terms;
  return wordOf(terms[term] === undefined ? terms[namesInCamelCase[term]] : terms[term]);
}
