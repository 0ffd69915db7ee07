import {
  type AccessFactsReader,
  type AccessQuestion,
  type ApiKey,
  isKeyLive,
  type VersionedAccessFacts,
} from '#core';
import { newestOf, organisationOf, portfolioOf, type Store, summaryOf } from './store.ts';

const validityOf = ({ investors }: Store, { investorId, expiresAt, revokedAt }: ApiKey) => ({
  expiresAt,
  revokedAt: revokedAt ?? investors.get(investorId)?.suspendedAt ?? null,
});

export function createMemoryAccessFactsReader(store: Store): AccessFactsReader {
  function factsOf({ keyId, companyId }: AccessQuestion): VersionedAccessFacts {
    const key = store.keys.get(keyId);
    if (key === undefined) {
      return { key: null, isInPortfolio: false, newestRequest: null, dataVersion: '0' };
    }
    return structuredClone({
      key: { scopes: key.scopes, ...validityOf(store, key) },
      ...standingOf(key.investorId, companyId),
    });
  }

  function standingOf(investorId: string, companyId: string) {
    const isInPortfolio = portfolioOf(store, investorId).has(companyId);
    return {
      isInPortfolio,
      newestRequest: summaryOf(newestOf(store.consents, investorId, companyId)),
      dataVersion: isInPortfolio ? String(store.dataVersions.get(companyId) ?? 0) : '0',
    };
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
    async readOfContact({ sessionId, contactId, companyId }) {
      const session = store.sessions.get(sessionId);
      const owner = store.contacts.get(contactId)?.owner;
      const isContact = session?.contactId === contactId && owner !== undefined;
      if (!isContact || 'companyId' in owner || organisationOf(store, owner).suspendedAt !== null) {
        return { session: null, isInPortfolio: false, newestRequest: null, dataVersion: '0' };
      }
      const { lastSeenAt, expiresAt } = session;
      return structuredClone({
        session: { lastSeenAt, expiresAt },
        ...standingOf(owner.investorId, companyId),
      });
    },
  };
}
