import type { AccessRecords } from '#core';
import { compare, type Store } from './store.ts';

export function createMemoryAccessRecords(store: Store): AccessRecords {
  const monthOf = (instant: Date) => instant.toISOString().slice(0, 7);
  return {
    async commit(record) {
      store.accessRecords.push(structuredClone(record));
    },
    note(record) {
      store.accessRecords.push(structuredClone(record));
    },
    async list({ companyId, investorId, keyId, scopes, since, limit }) {
      const found = store.accessRecords.filter(
        (record) =>
          (companyId === undefined || record.companyId === companyId) &&
          (investorId === undefined || record.investorId === investorId) &&
          (keyId === undefined || record.keyId === keyId) &&
          (scopes?.includes(record.scope) ?? true) &&
          (since === undefined || record.occurredAt.getTime() >= since.getTime()),
      );
      const newestFirst = found.toSorted(
        (a, b) => b.occurredAt.getTime() - a.occurredAt.getTime() || compare(b.id, a.id),
      );
      return structuredClone(newestFirst.slice(0, limit));
    },
    async dropMonthsBefore(instant) {
      const isOver = (month: string) => month < monthOf(instant);
      const months = new Set(store.accessRecords.map(({ occurredAt }) => monthOf(occurredAt)));
      store.accessRecords = store.accessRecords.filter(
        ({ occurredAt }) => !isOver(monthOf(occurredAt)),
      );
      return [...months].filter(isOver).toSorted();
    },
  };
}
