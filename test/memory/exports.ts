import type { CompanyData, Exports, Receipts, StoredRecord } from '#core';
import { compare, requestEvents, type Store } from './store.ts';

export function createMemoryExports(
  store: Store,
  companyData: CompanyData,
  receipts: Receipts,
): Exports {
  return {
    async read({ companyId, publicKeyUrl }, take) {
      const company = store.companies.get(companyId);
      if (company === undefined) return false;
      const { environment } = company;
      const at = { companyId, publicKeyUrl, environment, dataVersion: '0', terms: null };
      const records: StoredRecord[] = [{ type: 'company', company: structuredClone(company) }];
      for (const source of await companyData.sources(at)) records.push({ type: 'source', source });
      for (const account of await companyData.accounts(at)) {
        records.push({ type: 'account', account });
      }
      for (const key of keysOf(store, companyId)) {
        for (const metric of await companyData.metricRevisions(at, key)) {
          records.push({ type: 'metric', metric });
        }
      }
      const requests = requestEvents(store.consents).filter(
        ({ accessRequest }) => accessRequest.companyId === companyId,
      );
      for (const id of new Set(requests.map(({ accessRequest }) => accessRequest.id))) {
        const chain = await receipts.list({ accessRequestId: id, after: null, limit: 1e9 });
        for (const receipt of chain ?? []) records.push({ type: 'receipt', receipt });
      }
      for (const record of records) await take([record]);
      return true;
    },
  };
}

function keysOf({ series }: Store, companyId: string): string[] {
  return [...series.keys()]
    .map((name): [string, string] => JSON.parse(name))
    .flatMap(([company, key]) => (company === companyId ? [key] : []))
    .toSorted(compare);
}
