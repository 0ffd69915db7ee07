import type { ToldAccessRequest } from '../parity/drivers/driver.ts';
import { payloadOf, type ShownReceipt } from '../support/receipt-chain.ts';
import { oneRequest, readable, record, type Thing, type Verdict, works } from './model.ts';
import { type AccessRequest, type CompanyKey, type Key, pairOf, type State } from './state.ts';

/** What a company sees, and what is told of events: in plain words, as the rest of the policy. */

const noKey: Verdict = { refused: 'invalid_api_key', because: 'the key works no more' };
const tell = (told: unknown, because: string): Verdict => ({ told, because });

/** What a company reads of itself, which needs nobody's consent. */
export const ownData = ({ company, isRevoked }: CompanyKey, thing: Thing): Verdict =>
  isRevoked ? noKey : readable(company, thing, 'it is the company’s own');

/** A request as the company sees it. */
interface Received extends ToldAccessRequest {
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

/** All requests to the company, whoever has it in the portfolio now, newest first. */
export function receivedRequests(all: State, { company, isRevoked }: CompanyKey): Verdict {
  if (isRevoked) return noKey;
  const own = all.accessRequests.filter((accessRequest) => accessRequest.company === company);
  return tell(
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
  if (key.isRevoked) return noKey;
  return accessRequest.company === key.company
    ? tell(
        { ...received(all, accessRequest), history: historyOf(all, accessRequest) },
        'it is a request to the company',
      )
    : { refused: 'access_request_not_found', because: 'it is a request to another company' };
}

/** Everything that happened to a request, oldest first. */
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
  return 'refused' in seen ? seen : tell(historyOf(all, accessRequest), seen.because);
}

/** One for each change; they name the company, so they are there while it is in the portfolio. */
export function ownReceipts(all: State, key: Key, accessRequest: AccessRequest): Verdict {
  const seen = oneRequest(all, key, accessRequest);
  if ('refused' in seen) return seen;
  return all.memberships.has(pairOf(key.owner, accessRequest.company))
    ? tell(receiptsOf(all, accessRequest), seen.because)
    : { refused: 'company_not_found', because: 'the company is not in the portfolio' };
}

export function receivedReceipts(
  all: State,
  key: CompanyKey,
  accessRequest: AccessRequest,
): Verdict {
  const seen = receivedRequest(all, key, accessRequest);
  return 'refused' in seen ? seen : tell(receiptsOf(all, accessRequest), seen.because);
}

/** Whom they name, and what the history tells. */
function receiptsOf(all: State, accessRequest: AccessRequest) {
  const { id, investor, company } = accessRequest;
  const parties = {
    request: id,
    company: { id: company.id, name: company.name },
    investor: { id: investor.id, name: investor.name },
  };
  return historyOf(all, accessRequest).map((change) => ({ ...parties, ...change }));
}

export const toldReceipts = (receipts: readonly ShownReceipt[]) =>
  receipts.map(payloadOf).map((said) => ({
    request: said.access_request_id,
    company: said.data_subject,
    investor: said.data_recipient,
    type: said.event_type,
    createdAt: said.issued_at,
    actor: said.actor,
    reason: said.reason,
    approvedScopes: said.approved_scopes,
    expiresAt: said.valid_until,
  }));

const daysInFeed = 90;
const inFeed = ({ now }: State, at: number) => at >= now - daysInFeed * 86_400_000;

interface ToldInFeed {
  readonly type: string;
  readonly request: ToldAccessRequest;
}

/** Those of one request are told in their order; nobody has promised one to those of several. */
export const byRequest = (events: readonly ToldInFeed[]): readonly ToldInFeed[] =>
  events.toSorted((a, b) =>
    a.request.id < b.request.id ? -1 : a.request.id > b.request.id ? 1 : 0,
  );

/** Of the last 90 days; those of a company that is not in the portfolio now are withheld. */
export function ownEvents(all: State, key: Key): Verdict {
  if (!works(all, key)) return noKey;
  const own = all.events.filter(
    ({ accessRequest, at }) =>
      accessRequest.investor === key.owner &&
      all.memberships.has(pairOf(key.owner, accessRequest.company)) &&
      inFeed(all, at),
  );
  return tell(
    byRequest(own.map(({ type, request }) => ({ type, request }))),
    'these are the events of the portfolio',
  );
}

export function receivedEvents(all: State, { company, isRevoked }: CompanyKey): Verdict {
  if (isRevoked) return noKey;
  const own = all.events.filter(
    ({ accessRequest, at }) => accessRequest.company === company && inFeed(all, at),
  );
  return tell(
    byRequest(
      own.map(({ type, accessRequest, request }) => ({
        type,
        request: received(all, accessRequest, request),
      })),
    ),
    'these are the events of the company',
  );
}
