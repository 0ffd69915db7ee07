import {
  type AccessRecord,
  type AccessRecords,
  foldRefusals,
  type InvestorRecords,
  Refusal,
  refusalIdentity,
} from '#core';
import { logChange } from './settings-changes.ts';
import { compare, dayOf, isBefore, mustExist, type Store } from './store.ts';

export function createMemoryAccessRecords(store: Store): AccessRecords {
  const refusals = new Map<string, AccessRecord>();
  const ofDay = (day: string) =>
    store.accessRecords.filter(({ occurredAt }) => dayOf(occurredAt) === day);
  const named = (record: AccessRecord) => ({
    ...record,
    investorName: store.investors.get(record.investorId)?.name ?? null,
  });
  const exportsOf = (day: string) =>
    [...store.settingsChanges.values()]
      .filter(({ type, subject }) => type === 'access_log.dropped' && subject.id === day)
      .map(({ changes }) => String(changes.exportDigest?.to));
  return {
    async record(record) {
      store.accessRecords.push(structuredClone(record));
    },
    recordEventually(refusal) {
      const identity = refusalIdentity(refusal);
      const earlier = refusals.get(identity);
      if (earlier !== undefined) Object.assign(earlier, foldRefusals(earlier, refusal));
      else {
        const kept = structuredClone(refusal);
        refusals.set(identity, kept);
        store.accessRecords.push(kept);
      }
    },
    async listOfInvestor({
      investorId,
      scopes,
      since,
      until,
      before,
      oldestCursor,
      limit,
      ...sought
    }) {
      const found = store.accessRecords.filter(
        (record) =>
          record.investorId === investorId &&
          scopes.includes(record.scope) &&
          isSought(record, sought) &&
          (until === undefined || record.occurredAt <= until) &&
          isBefore(cursorOf(record), before) &&
          !(oldestCursor != null && isBefore(cursorOf(record), oldestCursor)),
      );
      return newest(found, since, limit);
    },
    async nameOfInvestor(investorId, records) {
      return records.map(({ keyId, contactId, companyId }) => {
        const company = store.companies.get(companyId ?? '');
        const isInPortfolio = store.portfolios.get(investorId)?.has(companyId ?? '') === true;
        const requests = [...store.consents.requests.values()];
        const isKnown =
          isInPortfolio ||
          requests.some(
            (request) => request.investorId === investorId && request.companyId === companyId,
          );
        return {
          keyHint: keyId && mustExist(store.keys.get(keyId), keyId).hint,
          contactEmail: store.contacts.get(contactId ?? '')?.email ?? null,
          company:
            company && isKnown ? { id: company.id, name: company.name, isInPortfolio } : null,
        };
      });
    },
    async listOfCompany({ companyId, keyId, since, until, limit }) {
      const found = store.accessRecords.filter(
        (record) =>
          record.companyId === companyId &&
          (keyId === undefined || record.keyId === keyId) &&
          (until === undefined || record.occurredAt.getTime() <= until.getTime()),
      );
      return newest(found, since, limit).map(named);
    },
    async listReceived(filter) {
      const { companyId, environment, investorId, scope, since, until } = filter;
      const { before, oldestCursor, limit } = filter;
      const found = store.accessRecords.filter(
        (record) =>
          record.companyId === companyId &&
          store.investors.get(record.investorId)?.environment === environment &&
          (investorId === undefined || record.investorId === investorId) &&
          (scope === undefined || record.scope === scope) &&
          (until === undefined || record.occurredAt <= until) &&
          isBefore(cursorOf(record), before) &&
          !(oldestCursor != null && isBefore(cursorOf(record), oldestCursor)),
      );
      return newest(found, since, limit).map((record) => ({
        ...record,
        investorName: mustExist(store.investors.get(record.investorId), record.investorId).name,
        keyHint: record.keyId && mustExist(store.keys.get(record.keyId), record.keyId).hint,
        contactEmail: store.contacts.get(record.contactId ?? '')?.email ?? null,
      }));
    },
    async findCursor(list, count) {
      const found = store.accessRecords.filter(
        (record) =>
          ('companyId' in list
            ? record.companyId === list.companyId
            : record.investorId === list.investorId && list.scopes.includes(record.scope)) &&
          isBefore(cursorOf(record), list.before),
      );
      const last = newest(found, undefined, count)[count - 1];
      return last ? cursorOf(last) : null;
    },
    async listDays() {
      return [
        ...new Set(store.accessRecords.map(({ occurredAt }) => dayOf(occurredAt))),
      ].toSorted();
    },
    async *readDay(day) {
      const found = newest(ofDay(day), undefined, Number.POSITIVE_INFINITY).toReversed();
      yield found.map(named);
    },
    async dropDay(day, entryOf) {
      const found = ofDay(day);
      if (found.length === 0) throw new Refusal('access_log_day_not_found');
      logChange(store, entryOf({ records: found.length, earlierExports: exportsOf(day) }));
      store.accessRecords = store.accessRecords.filter((record) => !found.includes(record));
    },
  };
}

type Sought = Pick<
  InvestorRecords,
  'companyId' | 'keyId' | 'contactId' | 'protocol' | 'requestId' | 'outcome'
>;

function isSought(record: AccessRecord, { outcome, ...equal }: Sought): boolean {
  const isRefused = record.outcome !== 'allowed';
  if (outcome !== undefined && !(outcome === 'refused' ? isRefused : record.outcome === outcome))
    return false;
  return (Object.keys(equal) as (keyof typeof equal)[]).every(
    (field) => equal[field] === undefined || record[field] === equal[field],
  );
}

const cursorOf = ({ occurredAt, id }: AccessRecord) => ({ instant: occurredAt, id });

function newest(
  records: readonly AccessRecord[],
  since: Date | undefined,
  limit: number,
): AccessRecord[] {
  const newestFirst = records
    .filter(({ occurredAt }) => since === undefined || occurredAt.getTime() >= since.getTime())
    .toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime() || compare(b.id, a.id));
  return structuredClone(newestFirst.slice(0, limit));
}
