import type { StandingReader } from '#core';
import { newestOf, type Store } from './store.ts';

export function createMemoryStandings(store: Store): StandingReader {
  return {
    async read({ keyId, companyId }) {
      const key = store.keys.get(keyId);
      if (key === undefined) return { key: null, inPortfolio: false, newestRequest: null };
      return structuredClone({
        key,
        inPortfolio: store.portfolios.get(key.investorId)?.has(companyId) ?? false,
        newestRequest: newestOf(store.consents, key.investorId, companyId),
      });
    },
  };
}
