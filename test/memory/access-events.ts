import {
  type AccessEvent,
  type AccessEvents,
  companyOf,
  type DataEvent,
  type DataReader,
  type FeedEvent,
  isRequestEvent,
  maxHistory,
  type OwnerOrOperator,
  scopesOfDataEvent,
  statusAt,
} from '#core';
import { mustExist, newestOf, portfolioOf, requestEvents, type Store, summaryOf } from './store.ts';

/** Transactions run one by one, so the feed has their order. */
export function createMemoryAccessEvents(store: Store): AccessEvents {
  const toFeedEvent = (event: AccessEvent | DataEvent, index: number): FeedEvent => {
    const companyId = companyOf(event);
    const position = String(index + 1);
    const companyName = mustExist(store.companies.get(companyId), companyId).name;
    if (!isRequestEvent(event)) return { ...event, position, companyName };
    const { investorId } = event.accessRequest;
    return {
      ...event,
      position,
      investorName: mustExist(store.investors.get(investorId), investorId).name,
      companyName,
      receipt: store.consents.receipts.get(event.id) ?? null,
    };
  };
  const all = () =>
    store.consents.events.map(toFeedEvent).filter(({ id }) => !store.consents.forgotten.has(id));

  const hasInPortfolio = (investorId: string, companyId: string) =>
    portfolioOf(store, investorId).has(companyId);

  const of = (reader: OwnerOrOperator, data?: DataReader) =>
    all().filter((event) => {
      const companyId = companyOf(event);
      if (reader === null) return true;
      if ('companyId' in reader) return reader.companyId === companyId;
      const { investorId } = reader;
      if (!hasInPortfolio(investorId, companyId)) return false;
      if (isRequestEvent(event)) return event.accessRequest.investorId === investorId;
      const newest = newestOf(store.consents, investorId, companyId);
      if (data === undefined || newest === null) return false;
      const covered = scopesOfDataEvent(event).filter(
        (scope) => data.scopes.includes(scope) && newest.approvedScopes.includes(scope),
      );
      return statusAt(newest, data.now) === 'approved' && covered.length > 0;
    });

  /** True if the event belongs to the company or investor, even if it has no access now. */
  const wasOf = (event: FeedEvent, reader: OwnerOrOperator): boolean => {
    const companyId = companyOf(event);
    if (reader === null) return true;
    if ('companyId' in reader) return reader.companyId === companyId;
    const { investorId } = reader;
    if (isRequestEvent(event)) return event.accessRequest.investorId === investorId;
    return (
      hasInPortfolio(investorId, companyId) ||
      newestOf(store.consents, investorId, companyId) !== null
    );
  };

  return {
    async read({ reader, after, until, companyId, since, limit, types, data }) {
      const found = of(reader, data)
        .filter(({ type }) => types == null || types.includes(type))
        .filter(({ position }) => Number(position) > Number(after ?? 0))
        .filter(({ position }) => until == null || Number(position) <= Number(until))
        .filter((event) => companyId == null || companyOf(event) === companyId)
        .filter(({ createdAt }) => since === null || createdAt >= since);
      return structuredClone(found.slice(0, limit));
    },
    async findLast(reader, data) {
      return structuredClone(of(reader, data).at(-1) ?? null);
    },
    async find(id, reader = null) {
      const found = all().find((event) => event.id === id && wasOf(event, reader));
      return structuredClone(found ?? null);
    },
    async findGranted(companyIds) {
      const ofCompany = (companyId: string) =>
        [...store.investors.keys()].flatMap((investorId) => {
          if (!hasInPortfolio(investorId, companyId)) return [];
          const newestRequest = summaryOf(newestOf(store.consents, investorId, companyId));
          return newestRequest?.status === 'approved'
            ? [{ companyId, investorId, newestRequest }]
            : [];
        });
      const granted = companyIds.map((id) => [id, ofCompany(id)] as const);
      return new Map(granted.filter(([, investors]) => investors.length > 0));
    },
    async lastPosition() {
      return String(store.consents.events.length);
    },
    async history(requestId) {
      return structuredClone(
        requestEvents(store.consents)
          .filter(({ accessRequest }) => accessRequest.id === requestId)
          .slice(-maxHistory),
      );
    },
    async deleteOldData(before, limit) {
      const old = all()
        .filter((event) => !isRequestEvent(event) && event.createdAt < before)
        .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
      for (const { id } of old.slice(0, limit)) store.consents.forgotten.add(id);
      return Math.min(old.length, limit);
    },
  };
}
