import type { StandingReader } from '#core';
import { newestOf, type Store, summaryOf } from './store.ts';

export function createMemoryStandings(store: Store): StandingReader {
  return {
    async read({ keyId, companyId }) {
      const key = store.keys.get(keyId);
      const inPortfolio =
        key !== undefined && (store.portfolios.get(key.investorId)?.has(companyId) ?? false);
      const dataVersion = inPortfolio ? String(store.dataVersions.get(companyId) ?? 0) : '0';
      if (key === undefined) {
        return { key: null, inPortfolio, newestRequest: null, dataVersion };
      }
      return structuredClone({
        key: { scopes: key.scopes, expiresAt: key.expiresAt, revokedAt: key.revokedAt },
        inPortfolio,
        newestRequest: summaryOf(newestOf(store.consents, key.investorId, companyId)),
        dataVersion,
      });
    },
  };
}
