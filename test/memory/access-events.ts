import { type AccessEvent, type AccessEvents, type FeedEvent, maxHistory, type Whose } from '#core';
import { mustExist, type Store } from './store.ts';

/** Transactions run one after the other, so the order of their events is that of the feed. */
export function createMemoryAccessEvents(store: Store): AccessEvents {
  const toFeedEvent = (event: AccessEvent, index: number): FeedEvent => {
    const { investorId, companyId } = event.accessRequest;
    return {
      ...event,
      position: String(index + 1),
      investorName: mustExist(store.investors.get(investorId), investorId).name,
      companyName: mustExist(store.companies.get(companyId), companyId).name,
      receipt: store.consents.receipts.get(event.id) ?? null,
    };
  };
  const all = () => store.consents.events.map(toFeedEvent);

  const of = (reader: Whose) =>
    all().filter(({ accessRequest: { investorId, companyId } }) => {
      if (reader === null) return true;
      if ('companyId' in reader) return reader.companyId === companyId;
      const portfolio = store.portfolios.get(investorId);
      return reader.investorId === investorId && portfolio?.has(companyId) === true;
    });

  return {
    async read({ reader, after, since, limit }) {
      const found = of(reader)
        .filter(({ position }) => Number(position) > Number(after ?? 0))
        .filter(({ createdAt }) => since === null || createdAt >= since);
      return structuredClone(found.slice(0, limit));
    },
    async findLast(reader) {
      return structuredClone(of(reader).at(-1) ?? null);
    },
    async find(id) {
      return structuredClone(all().find((event) => event.id === id) ?? null);
    },
    async lastPosition() {
      return String(store.consents.events.length);
    },
    async history(requestId) {
      return structuredClone(
        store.consents.events
          .filter(({ accessRequest }) => accessRequest.id === requestId)
          .slice(-maxHistory),
      );
    },
  };
}
