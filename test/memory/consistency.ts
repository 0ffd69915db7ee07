import { type ConsentTrail, type Consistency, isLive } from '#core';
import { mustExist, requestEvents, type Store } from './store.ts';

async function* nothing() {
  // The store in memory keeps no copies that could differ.
}

/** Checks only consents. Tests replace the other methods. */
export function createMemoryConsistency(store: Store): Consistency {
  const requests = () => [...store.consents.requests.values()];

  function trailOf(id: string): ConsentTrail {
    const { consents } = store;
    const events = requestEvents(consents)
      .filter(({ accessRequest }) => accessRequest.id === id)
      .map((event) => {
        const { investorId, companyId } = event.accessRequest;
        return { ...event, investorId, companyId };
      });
    const receipts = events.flatMap(({ id: eventId, companyId }) => {
      const receipt = consents.receipts.get(eventId);
      return receipt === undefined ? [] : { ...receipt, eventId, companyId, accessRequestId: id };
    });
    return structuredClone({ request: mustExist(consents.requests.get(id), id), events, receipts });
  }

  return {
    async *walkConsents(which) {
      const asked = requests().filter((request) => {
        if (typeof which !== 'string') return which.includes(request.id);
        return which === 'all' || isLive(request);
      });
      for (const { id } of asked) yield [trailOf(id)];
    },
    listSuspectConsents: async () =>
      requests()
        .filter(isLive)
        .map(({ id }) => id),
    listStrayReceipts: async () => [],
    readFeed: async () => ({ lastPosition: 0n, highestPosition: 0n, runs: [], consumers: [] }),
    listOutdatedVersions: nothing,
    walkValues: nothing,
    listOutdatedNames: async () => [],
    walkSettings: nothing,
  };
}
