import {
  type AccessFactsReader,
  type AccessQuestion,
  type ApiKey,
  isKeyLive,
  type VersionedAccessFacts,
} from '#core';
import { newestOf, portfolioOf, type Store, summaryOf } from './store.ts';

const validityOf = ({ investors }: Store, { investorId, expiresAt, revokedAt }: ApiKey) => ({
  expiresAt,
  revokedAt: revokedAt ?? investors.get(investorId)?.suspendedAt ?? null,
});

export function createMemoryAccessFactsReader(store: Store): AccessFactsReader {
  function factsOf({ keyId, companyId }: AccessQuestion): VersionedAccessFacts {
    const key = store.keys.get(keyId);
    const inPortfolio = key !== undefined && portfolioOf(store, key.investorId).has(companyId);
    const dataVersion = inPortfolio ? String(store.dataVersions.get(companyId) ?? 0) : '0';
    if (key === undefined) {
      return { key: null, inPortfolio, newestRequest: null, dataVersion };
    }
    return structuredClone({
      key: { scopes: key.scopes, ...validityOf(store, key) },
      inPortfolio,
      newestRequest: summaryOf(newestOf(store.consents, key.investorId, companyId)),
      dataVersion,
    });
  }

  return {
    async authenticate({ digest, companyId, now }) {
      const found = store.keys.get(store.keyIds.get(digest) ?? '');
      if (found === undefined || !isKeyLive(validityOf(store, found), now)) return null;
      const { id, investorId, environment, scopes, rateLimit } = found;
      const key = { id, investorId, environment, scopes, rateLimit, ...validityOf(store, found) };
      const facts = companyId === null ? null : factsOf({ keyId: id, companyId });
      return structuredClone({ key, facts });
    },
    read: async (question) => factsOf(question),
  };
}
