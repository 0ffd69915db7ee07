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
    if (key === undefined) {
      return { key: null, inPortfolio: false, newestRequest: null, dataVersion: '0' };
    }
    return structuredClone({
      key: { scopes: key.scopes, expiresAt: key.expiresAt, revokedAt: key.revokedAt },
      ...standingOf(key.investorId, companyId),
    });
  }

  function standingOf(investorId: string, companyId: string) {
    const inPortfolio = store.portfolios.get(investorId)?.has(companyId) ?? false;
    return {
      inPortfolio,
      newestRequest: summaryOf(newestOf(store.consents, investorId, companyId)),
      dataVersion: inPortfolio ? String(store.dataVersions.get(companyId) ?? 0) : '0',
    };
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
    async readOfContact({ sessionId, contactId, companyId }) {
      const session = store.sessions.get(sessionId);
      const owner = store.contacts.get(contactId)?.owner;
      if (session?.contactId !== contactId || owner === undefined || 'companyId' in owner) {
        return { session: null, inPortfolio: false, newestRequest: null, dataVersion: '0' };
      }
      const { lastSeenAt, expiresAt } = session;
      return structuredClone({
        session: { lastSeenAt, expiresAt },
        ...standingOf(owner.investorId, companyId),
      });
    },
  };
}
