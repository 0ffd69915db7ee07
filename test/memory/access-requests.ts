import {
  AccessError,
  type AccessEventType,
  type AccessRequest,
  type AccessRequests,
  type AccessRequestTransaction,
  awaitsDecision,
  type Cursor,
  type DueRequests,
  eventIdOf,
  isLive,
  type ListedRequest,
  type RequestFilter,
  statusAt,
  versionlessEventTypes,
  type WaitingRequests,
} from '#core';
import { checkCredential } from './acting-credentials.ts';
import { completeClaim } from './idempotency-keys.ts';
import { addReceipt } from './receipts.ts';
import {
  type Consents,
  compare,
  copyOf,
  isBefore,
  mustExist,
  newestFirst,
  newestOf,
  oldestFirst,
  portfolioOf,
  requestEvents,
  type Store,
} from './store.ts';

export function createMemoryAccessRequests(store: Store): AccessRequests {
  const requestsWithin = ({ investorId, companyId, status, now }: RequestFilter) =>
    requestsIn(store.consents).filter(
      (request) =>
        (investorId === undefined || request.investorId === investorId) &&
        (companyId === undefined || request.companyId === companyId) &&
        (status === undefined || statusAt(request, now) === status),
    );
  return {
    async find(id) {
      return structuredClone(store.consents.requests.get(id) ?? null);
    },
    count: async (filter) => requestsWithin(filter).length,
    async list({ olderThan = null, newerThan = null, isOldestFirst = false, limit, ...filter }) {
      const placeOf = ({ createdAt, id }: AccessRequest) => ({ instant: createdAt, id });
      const found = requestsWithin(filter).filter(
        (request) =>
          isBefore(placeOf(request), olderThan) &&
          (newerThan === null || isBefore(newerThan, placeOf(request))),
      );
      const ordered = isOldestFirst ? oldestFirst(found) : newestFirst(found);
      return structuredClone(ordered.slice(0, limit));
    },
    async listReceived({ companyId, status, now, before, limit }) {
      const found = requestsIn(store.consents).filter(
        (request) =>
          request.companyId === companyId &&
          (status === undefined || statusAt(request, now) === status) &&
          isBefore({ instant: request.createdAt, id: request.id }, before),
      );
      return received(store, newestFirst(found).slice(0, limit));
    },
    async listWaiting({ before, limit, ...query }) {
      const found = waiting(store, query).filter(({ createdAt, id }) =>
        isBefore({ instant: createdAt, id }, before),
      );
      return received(store, newestFirst(found).slice(0, limit));
    },
    async countWaiting({ limit, ...query }) {
      return Math.min(waiting(store, query).length, limit);
    },
    async listEnding({ companyId, now, until, limit }) {
      const found = requestsIn(store.consents).filter(
        (request) =>
          request.companyId === companyId &&
          statusAt(request, now) === 'approved' &&
          request.deadlineAt <= until,
      );
      const soonestFirst = found.toSorted(
        (a, b) => a.deadlineAt.getTime() - b.deadlineAt.getTime() || compare(a.id, b.id),
      );
      return received(store, soonestFirst.slice(0, limit));
    },
    async listRequestingInvestors(companyId, limit) {
      const asking = requestsIn(store.consents)
        .filter((request) => request.companyId === companyId)
        .map(({ investorId }) => investorId);
      return [...new Set(asking)]
        .toSorted(compare)
        .slice(0, limit)
        .map((id) => ({ id, name: mustExist(store.investors.get(id), id).name }))
        .toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
    },
    async listExpiring(page) {
      return dueBy(store, page, ({ expiringAt }) => expiringAt);
    },
    async listToReview(page) {
      return dueBy(store, page, ({ reviewAt }) => reviewAt);
    },
    async listInReview({ companyId, now, limit }) {
      const found = requestsIn(store.consents).filter(
        (request) =>
          request.companyId === companyId &&
          statusAt(request, now) === 'approved' &&
          request.lastEventType === 'access_request.review_due',
      );
      const decidedFirst = found.toSorted(
        (a, b) => Number(a.decidedAt) - Number(b.decidedAt) || compare(a.id, b.id),
      );
      return received(store, decidedFirst.slice(0, limit));
    },
    async listPastDeadline(page) {
      return dueBy(store, page, (request) => (isLive(request) ? request.deadlineAt : null));
    },
    async listToAnswer({ answering, ending, decidedBy, limit }) {
      const found = requestsIn(store.consents).filter((request) => {
        const { companyId, decidedAt } = request;
        const waits = awaitsDecision(request);
        const wasDecided = decidedAt !== null && decidedAt <= decidedBy;
        return (
          isLive(request) &&
          store.companies.get(companyId)?.environment === 'test' &&
          ((answering.includes(companyId) && waits) || (ending.includes(companyId) && wasDecided))
        );
      });
      return oldestFirst(found)
        .slice(0, limit)
        .map(({ id }) => id);
    },
    transact: (credential, work) =>
      store.serially(async () => {
        checkCredential(store, credential);
        const draft = copyOf(store.consents);
        const result = await work(transactionOver(store, draft));
        store.consents = draft;
        return result;
      }),
  };
}

const requestsIn = ({ requests }: Consents): AccessRequest[] => [...requests.values()];

function waiting(
  { consents }: Store,
  { companyId, now }: Omit<WaitingRequests, 'limit'>,
): AccessRequest[] {
  return requestsIn(consents).filter(
    (request) =>
      request.companyId === companyId &&
      isLive(request) &&
      request.deadlineAt > now &&
      awaitsDecision(request),
  );
}

function received(store: Store, requests: readonly AccessRequest[]): ListedRequest[] {
  return requests.map((accessRequest) => {
    const { investorId: id, companyId } = accessRequest;
    const { name } = mustExist(store.investors.get(id), id);
    const isInPortfolio = portfolioOf(store, id).has(companyId);
    return structuredClone({ accessRequest, investor: { id, name }, isInPortfolio });
  });
}

function dueBy(
  { consents }: Store,
  { now, after, limit }: DueRequests,
  instantOf: (request: AccessRequest) => Date | null,
): Cursor[] {
  const byInstant = (a: Cursor, b: Cursor) =>
    a.instant.getTime() - b.instant.getTime() || compare(a.id, b.id);
  return requestsIn(consents)
    .flatMap((request) => {
      const instant = instantOf(request);
      return instant === null || instant > now ? [] : { instant, id: request.id };
    })
    .filter((place) => after === null || byInstant(after, place) < 0)
    .toSorted(byInstant)
    .slice(0, limit);
}

/** Transactions run one by one, so reading is enough to lock. */
function transactionOver(store: Store, draft: Consents): AccessRequestTransaction {
  return {
    async lock(id) {
      return structuredClone(draft.requests.get(id) ?? null);
    },
    async lockAvailable(ids) {
      const found = requestsIn(draft).filter(
        (request) => isLive(request) && ids.includes(request.id),
      );
      return structuredClone(oldestFirst(found));
    },
    async lockNewest(investorId, companyId) {
      return structuredClone(newestOf(draft, investorId, companyId));
    },
    async add(request) {
      const parties = [
        store.companies.get(request.companyId),
        store.investors.get(request.investorId),
      ];
      if (parties.some((party) => party?.suspendedAt !== null)) {
        throw new AccessError('company_not_found');
      }
      if (draft.requests.has(request.id)) throw new Error(`${request.id} is there already`);
      if (isLive(request) && hasLive(draft, request)) return false;
      draft.requests.set(request.id, structuredClone(request));
      return true;
    },
    async save(request) {
      mustExist(draft.requests.get(request.id), `access request ${request.id}`);
      draft.requests.set(request.id, structuredClone(request));
    },
    async findChange(requestId, version) {
      const events = requestEvents(draft).filter(
        ({ accessRequest }) => accessRequest.id === requestId,
      );
      const made = events.findIndex(({ id }) => id === eventIdOf(version));
      const next = events.find(
        ({ type }, index) =>
          index > made && !(versionlessEventTypes as readonly AccessEventType[]).includes(type),
      );
      return made === -1 ? null : structuredClone(next ?? null);
    },
    async requiresTwoApprovals(companyId) {
      return store.approvalRules.get(companyId) === 2;
    },
    async addEvent(event, identity) {
      const isSigned = addReceipt(store, draft, event, identity);
      draft.events.push(structuredClone(event));
      return isSigned;
    },
    async completeClaim(claim, outcome, accessRequestId) {
      completeClaim(draft, claim, { outcome, accessRequestId });
    },
  };
}

function hasLive(draft: Consents, { investorId, companyId }: AccessRequest): boolean {
  return requestsIn(draft).some(
    (other) => other.investorId === investorId && other.companyId === companyId && isLive(other),
  );
}
