import type { AccessRecordArchive } from '#core';
import { createMemoryAccessRecords } from './access-records.ts';
import { dayOf, type Store } from './store.ts';

/** Archived records are a list of their own; no file is written. */
export function createMemoryArchive(store: Store): AccessRecordArchive {
  const archived: Store = { ...store, accessRecords: [] };
  const lists = createMemoryAccessRecords(archived);
  const days = () => [...new Set(store.accessRecords.map(({ occurredAt }) => dayOf(occurredAt)))];
  return {
    listOfInvestor: async (filter) => ({
      records: await lists.listOfInvestor(filter),
      unread: null,
    }),
    listOfCompany: async (filter) => ({ records: await lists.listOfCompany(filter), unread: null }),
    listReceived: async (filter) => ({ records: await lists.listReceived(filter), unread: null }),
    listDays: async () => days().toSorted(),
    async archiveDay(day) {
      const isOfDay = ({ occurredAt }: { occurredAt: Date }) => dayOf(occurredAt) === day;
      const moved = store.accessRecords.filter(isOfDay);
      archived.accessRecords.push(...moved);
      store.accessRecords = store.accessRecords.filter((record) => !isOfDay(record));
      return { day, records: moved.length, bytes: 0 };
    },
    requireArchivedUntil: async () => undefined,
    removeForgotten: async () => [],
  };
}
