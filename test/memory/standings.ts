import type { StandingReader } from '#core';
import { newestOf, type Store, summaryOf } from './store.ts';

export function createMemoryStandings(store: Store): StandingReader {
  return {
    async read({ keyId, companyId }) {
      const key = store.keys.get(keyId);
      if (key === undefined) return { key: null, inPortfolio: false, newestRequest: null };
      return structuredClone({
        key: { scopes: key.scopes, expiresAt: key.expiresAt, revokedAt: key.revokedAt },
        inPortfolio: store.portfolios.get(key.investorId)?.has(companyId) ?? false,
        newestRequest: summaryOf(newestOf(store.consents, key.investorId, companyId)),
      });
    },
  };
}
