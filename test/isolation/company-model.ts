import type { Scope } from '#core';
import type { NormalizedAccessRequest, NormalizedDataEvent } from '../parity/drivers/driver.ts';
import { payloadOf, type ReceiptPayload, type ShownReceipt } from '../support/receipt-chain.ts';
import {
  knows,
  newestOf,
  oneRequest,
  readable,
  record,
  statusNow,
  type Thing,
  type Verdict,
  works,
} from './model.ts';
import type { AccessRequest, Company, CompanyKey, DataChange, Key, State } from './state.ts';
import { allowsValue, type Terms } from './terms.ts';

/** Part of the policy in plain words: what companies see, and what events contain. */

const noKey: Verdict = { refused: 'invalid_api_key', because: 'the key has ended' };
const allow = (expected: unknown, because: string): Verdict => ({ expected, because });

/** A suspended company can't act. */
export const hasEnded = ({ company, isRevoked }: CompanyKey): boolean =>
  isRevoked || company.isSuspended;

/** A company can read its data without a consent. */
export const ownData = (key: CompanyKey, thing: Thing): Verdict =>
  hasEnded(key) ? noKey : readable(key.company, thing, 'it is the company’s own');

interface Received extends NormalizedAccessRequest {
  readonly investor: { readonly id: string; readonly name: string };
}

function received(
  all: State,
  accessRequest: AccessRequest,
  request = record(all, accessRequest),
): Received {
  const { id, name } = accessRequest.investor;
  return { ...request, investor: { id, name } };
}

/** Newest first, including those of investors that no longer have the company in their portfolio. */
export function receivedRequests(all: State, key: CompanyKey): Verdict {
  if (hasEnded(key)) return noKey;
  const { company } = key;
  const own = all.accessRequests.filter((accessRequest) => accessRequest.company === company);
  return allow(
    own
      .map((accessRequest) => received(all, accessRequest))
      .toSorted((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? 1 : -1)),
    'these are the requests to the company',
  );
}

export function receivedRequest(
  all: State,
  key: CompanyKey,
  accessRequest: AccessRequest,
): Verdict {
  if (hasEnded(key)) return noKey;
  return accessRequest.company === key.company
    ? allow(
        { ...received(all, accessRequest), history: historyOf(all, accessRequest) },
        'it is a request to the company',
      )
    : { refused: 'access_request_not_found', because: 'it is a request to another company' };
}

function historyOf({ events }: State, accessRequest: AccessRequest) {
  return events
    .filter((event) => event.accessRequest === accessRequest)
    .map(({ type, at, actor, reason, request }) => ({
      type,
      createdAt: new Date(at).toISOString(),
      actor,
      reason,
      approvedScopes: request.approvedScopes,
      expiresAt: request.expiresAt,
    }));
}

export function ownHistory(all: State, key: Key, accessRequest: AccessRequest): Verdict {
  const seen = oneRequest(all, key, accessRequest);
  return 'refused' in seen ? seen : allow(historyOf(all, accessRequest), seen.because);
}

/**
 * One receipt per change. Receipts name the company, so an investor can read them only while the
 * company is in its portfolio.
 */
export function ownReceipts(all: State, key: Key, accessRequest: AccessRequest): Verdict {
  const seen = oneRequest(all, key, accessRequest);
  if ('refused' in seen) return seen;
  return knows(all, key.owner, accessRequest.company)
    ? allow(receiptsOf(all, accessRequest), seen.because)
    : { refused: 'company_not_found', because: 'the company is not in the portfolio' };
}

export function receivedReceipts(
  all: State,
  key: CompanyKey,
  accessRequest: AccessRequest,
): Verdict {
  const seen = receivedRequest(all, key, accessRequest);
  return 'refused' in seen ? seen : allow(receiptsOf(all, accessRequest), seen.because);
}

/** Each receipt contains a change and its two parties. */
function receiptsOf(all: State, accessRequest: AccessRequest) {
  const { id, investor, company } = accessRequest;
  const parties = {
    request: id,
    company: { id: company.id, name: company.name },
    investor: { id: investor.id, name: investor.name },
  };
  const events = all.events.filter((event) => event.accessRequest === accessRequest);
  return historyOf(all, accessRequest).map((change, index) => ({
    ...parties,
    ...change,
    terms: events[index]?.request.approvedTerms,
  }));
}

const normalizeActor = ({ type, id, signed_in_by: signedInBy }: ReceiptPayload) => ({
  ...{ type, id },
  ...(signedInBy !== undefined && { signedInBy }),
});

/** Receipts contain terms only if the access request has terms or a pause. */
const normalizeTerms = (terms: ReceiptPayload | null = null): Terms =>
  terms && { use: terms.use, metricKeys: terms.metric_keys, historyFrom: terms.history_from };

export const normalizeReceipts = (receipts: readonly ShownReceipt[]) =>
  receipts.map(payloadOf).map((said) => ({
    request: said.access_request_id,
    company: said.data_subject,
    investor: said.data_recipient,
    type: said.event_type,
    createdAt: said.issued_at,
    actor: normalizeActor(said.actor),
    reason: said.reason,
    approvedScopes: said.approved_scopes,
    expiresAt: said.valid_until,
    terms: normalizeTerms(said.approved_terms),
  }));

const daysInFeed = 90;
const inFeed = ({ now }: State, at: number) => at >= now - daysInFeed * 86_400_000;

interface NormalizedRequestEvent {
  readonly type: string;
  readonly request: NormalizedAccessRequest;
}

type NormalizedInFeed = NormalizedRequestEvent | NormalizedDataEvent;

const isOfData = (event: NormalizedInFeed): event is NormalizedDataEvent => 'metricKeys' in event;

const nameOf = (event: NormalizedInFeed) => (isOfData(event) ? event.company : event.request.id);

/** Contains only data that the reader's scopes allow. */
function normalizeChange(
  { company, values, hasSources, hasAccounts }: DataChange,
  isOpen: (scope: Scope) => boolean,
  terms: Terms = null,
): NormalizedDataEvent[] {
  const change = {
    type: 'company_data.updated',
    company: company.id,
    metricKeys: isOpen('metrics:read')
      ? values.filter((value) => allowsValue(terms, value)).map(({ key }) => key)
      : [],
    hasSources: hasSources && isOpen('sources:read'),
    hasAccounts: hasAccounts && isOpen('accounts:read'),
  };
  const isNothing = change.metricKeys.length === 0 && !change.hasSources && !change.hasAccounts;
  return isNothing ? [] : [change];
}

/**
 * True if the key has the scope, the company is in the portfolio, and the newest grant includes the
 * scope and isn't paused.
 */
function opens(all: State, key: Key, company: Company, scope: Scope): boolean {
  const newest = newestOf(all, key.owner, company);
  return (
    key.scopes.includes(scope) &&
    knows(all, key.owner, company) &&
    newest !== undefined &&
    statusNow(all, newest) === 'approved' &&
    newest.pausedAt === null &&
    newest.granted.includes(scope)
  );
}

/** The API promises no order between requests or companies, so this compares each one's events separately. */
export const byRequest = (events: readonly NormalizedInFeed[]): readonly NormalizedInFeed[] =>
  events.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));

/** The events of the last 90 days, without companies outside the portfolio and data outside the current grants. */
export function ownEvents(all: State, key: Key): Verdict {
  if (!works(all, key)) return noKey;
  const own = all.events.filter(
    ({ accessRequest, at }) =>
      accessRequest.investor === key.owner &&
      knows(all, key.owner, accessRequest.company) &&
      inFeed(all, at),
  );
  return allow(
    byRequest([
      ...own.map(({ type, request }) => ({ type, request })),
      ...all.dataChanges
        .filter(({ at }) => inFeed(all, at))
        .flatMap((change) =>
          normalizeChange(
            change,
            (scope) => opens(all, key, change.company, scope),
            newestOf(all, key.owner, change.company)?.terms,
          ),
        ),
    ]),
    'these are the events of the portfolio',
  );
}

export function receivedEvents(all: State, key: CompanyKey): Verdict {
  if (hasEnded(key)) return noKey;
  const { company } = key;
  const own = all.events.filter(
    ({ accessRequest, at }) => accessRequest.company === company && inFeed(all, at),
  );
  return allow(
    byRequest([
      ...own.map(({ type, accessRequest, request }) => ({
        type,
        request: received(all, accessRequest, request),
      })),
      ...all.dataChanges
        .filter((change) => change.company === company && inFeed(all, change.at))
        .flatMap((change) => normalizeChange(change, () => true)),
    ]),
    'these are the events of the company',
  );
}
