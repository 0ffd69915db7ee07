import type { AccessRecord, AccessStatistics, ReadCounts } from '#core';
import { compare, dayOf, mustExist, type Store } from './store.ts';

export function createMemoryAccessStatistics(store: Store): AccessStatistics {
  return {
    async countReads({ companyId, environment, investorId, scope, most, ...range }) {
      const found = store.accessRecords.filter(
        (record) =>
          record.companyId === companyId &&
          store.investors.get(record.investorId)?.environment === environment &&
          (investorId === undefined || record.investorId === investorId) &&
          (scope === undefined || record.scope === scope) &&
          dayOf(record.occurredAt) >= range.firstDay &&
          dayOf(record.occurredAt) <= range.lastDay,
      );
      return {
        byInvestor: byDay(found, ({ investorId: id }) => id, most).map(
          ({ name: id, ...reads }) => ({
            ...reads,
            investor:
              id === undefined ? null : { id, name: mustExist(store.investors.get(id), id).name },
          }),
        ),
        byMetric: byDay(found, ({ metricKey }) => metricKey ?? '', most).map(
          ({ name: key, ...reads }) => ({
            ...reads,
            metric: key === undefined ? null : { key: key === '' ? null : key },
          }),
        ),
      };
    },
    async readUsage(companyId, ids) {
      return [...store.consents.requests.values()]
        .filter((request) => request.companyId === companyId && ids.includes(request.id))
        .map(({ id }) => {
          const instants = store.accessRecords
            .filter(({ grantId }) => grantId === id)
            .map(({ occurredAt }) => occurredAt.getTime());
          const lastReadAt = instants.length === 0 ? null : new Date(Math.max(...instants));
          return { accessRequestId: id, reads: instants.length, lastReadAt };
        });
    },
    async countUses({ investorId, scopes, since, recentSince, limit }) {
      const all = store.accessRecords.filter(
        (record) =>
          record.investorId === investorId &&
          scopes.includes(record.scope) &&
          record.occurredAt >= since,
      );
      const ofScopes = [...Map.groupBy(all, ({ scope }) => scope).values()].map((records) =>
        records.toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime()),
      );
      const own = ofScopes.flatMap((records) => records.slice(0, limit));
      const groups = Map.groupBy(own, ({ keyId, contactId, outcome }) =>
        JSON.stringify([keyId, contactId, outcome]),
      );
      const uses = [...groups.values()].flatMap((records) =>
        records.slice(0, 1).map(({ keyId, contactId, outcome }) => ({
          ...{ keyId, contactId, outcome },
          count: sum(records),
          recentCount: sum(records.filter(({ occurredAt }) => occurredAt >= recentSince)),
        })),
      );
      return { uses, isCut: ofScopes.some((records) => records.length >= limit) };
    },
    // The store in memory counts all reads on demand, so it counts no days in advance.
    countNextDay: async () => false,
    listMiscountedDays: async () => [],
  };
}

const sum = (records: readonly AccessRecord[]): number =>
  records.reduce((total, { count }) => total + count, 0);

/** One row per day and name. Names above the limit share rows with the name undefined. */
function byDay(
  records: readonly AccessRecord[],
  nameOf: (record: AccessRecord) => string,
  most: number,
) {
  const told = [...Map.groupBy(records, nameOf)]
    .toSorted(([a, ofA], [b, ofB]) => sum(ofB) - sum(ofA) || compare(a, b))
    .slice(0, most)
    .map(([name]) => name);
  return [...told, undefined].flatMap((name) => {
    const own = records.filter((record) =>
      name === undefined ? !told.includes(nameOf(record)) : nameOf(record) === name,
    );
    const byDays = Map.groupBy(own, ({ occurredAt }) => dayOf(occurredAt));
    return [...byDays].map(([day, ofDay]) => ({ name, day, ...counts(ofDay) }));
  });
}

function counts(records: readonly AccessRecord[]): ReadCounts {
  const allowed = sum(records.filter(({ outcome }) => outcome === 'allowed'));
  return { allowed, refused: sum(records) - allowed };
}
