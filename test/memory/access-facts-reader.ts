import {
  type AccessFactsReader,
  type AccessQuestion,
  isKeyLive,
  type VersionedAccessFacts,
} from '#core';
import { newestOf, type Store, summaryOf } from './store.ts';

export function createMemoryAccessFactsReader(store: Store): AccessFactsReader {
  function factsOf({ keyId, companyId }: AccessQuestion): VersionedAccessFacts {
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
  }

  return {
    async authenticate({ digest, companyId, now }) {
      const found = store.keys.get(store.keyIds.get(digest) ?? '');
      if (found === undefined || !isKeyLive(found, now)) return null;
      const { id, investorId, environment, scopes, rateLimit, expiresAt, revokedAt } = found;
      const key = { id, investorId, environment, scopes, rateLimit, expiresAt, revokedAt };
      const facts = companyId === null ? null : factsOf({ keyId: id, companyId });
      return structuredClone({ key, facts });
    },
    read: async (question) => factsOf(question),
  };
}
