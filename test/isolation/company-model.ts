import type { ToldAccessRequest } from '../parity/drivers/driver.ts';
import { payloadOf, type ShownReceipt } from '../support/receipt-chain.ts';
import { type Asking, type Chronicle, type CompanyKey, type Key, pairOf } from './chronicle.ts';
import { oneRequest, record, type Verdict, works } from './model.ts';

/** What a company sees, and what is told of events: in plain words, as the rest of the policy. */

const noKey: Verdict = { refused: 'invalid_api_key', because: 'the key works no more' };
const tell = (told: unknown, because: string): Verdict => ({ told, because });

/** A request as the company sees it. */
interface Received extends ToldAccessRequest {
  readonly investor: { readonly id: string; readonly name: string };
}

function received(all: Chronicle, asking: Asking, request = record(all, asking)): Received {
  const { id, name } = asking.asker;
  return { ...request, investor: { id, name } };
}

/** All requests to the company, whoever has it in the portfolio now, newest first. */
export function receivedRequests(all: Chronicle, { firm, isRevoked }: CompanyKey): Verdict {
  if (isRevoked) return noKey;
  const own = all.askings.filter((asking) => asking.firm === firm);
  return tell(
    own
      .map((asking) => received(all, asking))
      .toSorted((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? 1 : -1)),
    'these are the requests to the company',
  );
}

export function receivedRequest(all: Chronicle, key: CompanyKey, asking: Asking): Verdict {
  if (key.isRevoked) return noKey;
  return asking.firm === key.firm
    ? tell(
        { ...received(all, asking), history: historyOf(all, asking) },
        'it is a request to the company',
      )
    : { refused: 'access_request_not_found', because: 'it is a request to another company' };
}

/** Everything that happened to a request, oldest first. */
function historyOf({ events }: Chronicle, asking: Asking) {
  return events
    .filter((event) => event.asking === asking)
    .map(({ type, at, actor, reason, request }) => ({
      type,
      createdAt: new Date(at).toISOString(),
      actor,
      reason,
      approvedScopes: request.approvedScopes,
      expiresAt: request.expiresAt,
    }));
}

export function ownHistory(all: Chronicle, key: Key, asking: Asking): Verdict {
  const seen = oneRequest(all, key, asking);
  return 'refused' in seen ? seen : tell(historyOf(all, asking), seen.because);
}

/** One for each change; they name the company, so they are there while it is in the portfolio. */
export function ownReceipts(all: Chronicle, key: Key, asking: Asking): Verdict {
  const seen = oneRequest(all, key, asking);
  if ('refused' in seen) return seen;
  return all.memberships.has(pairOf(key.owner, asking.firm))
    ? tell(receiptsOf(all, asking), seen.because)
    : { refused: 'company_not_found', because: 'the company is not in the portfolio' };
}

export function receivedReceipts(all: Chronicle, key: CompanyKey, asking: Asking): Verdict {
  const seen = receivedRequest(all, key, asking);
  return 'refused' in seen ? seen : tell(receiptsOf(all, asking), seen.because);
}

/** Whom they name, and what the history tells. */
function receiptsOf(all: Chronicle, asking: Asking) {
  const { id, asker, firm } = asking;
  const parties = {
    request: id,
    company: { id: firm.id, name: firm.name },
    investor: { id: asker.id, name: asker.name },
  };
  return historyOf(all, asking).map((change) => ({ ...parties, ...change }));
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
const inFeed = ({ now }: Chronicle, at: number) => at >= now - daysInFeed * 86_400_000;

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
export function ownEvents(all: Chronicle, key: Key): Verdict {
  if (!works(all, key)) return noKey;
  const own = all.events.filter(
    ({ asking, at }) =>
      asking.asker === key.owner &&
      all.memberships.has(pairOf(key.owner, asking.firm)) &&
      inFeed(all, at),
  );
  return tell(
    byRequest(own.map(({ type, request }) => ({ type, request }))),
    'these are the events of the portfolio',
  );
}

export function receivedEvents(all: Chronicle, { firm, isRevoked }: CompanyKey): Verdict {
  if (isRevoked) return noKey;
  const own = all.events.filter(({ asking, at }) => asking.firm === firm && inFeed(all, at));
  return tell(
    byRequest(
      own.map(({ type, asking, request }) => ({ type, request: received(all, asking, request) })),
    ),
    'these are the events of the company',
  );
}
