import type { ActingCredential, ActingCredentials, ApiKey, CompanyKey } from '#core';
import { organisationOf, type Store } from './store.ts';

export const createMemoryActingCredentials = (store: Store): ActingCredentials => ({
  check: async (credential) => checkCredential(store, credential),
});

/** Doesn't await anything, so a credential can't end between its check and the change. */
export function checkCredential(store: Store, credential: ActingCredential | null): void {
  if (credential === null) return;
  const { owner, id } = credential;
  const { suspendedAt } = organisationOf(store, owner);
  if (credential.type === 'session') {
    const { contactId } = credential;
    const session = store.sessions.get(id);
    const contact = store.contacts.get(contactId);
    const isActing =
      session?.contactId === contactId && contact !== undefined && suspendedAt === null;
    credential.require(
      isActing
        ? { role: contact.role, lastSeenAt: session.lastSeenAt, expiresAt: session.expiresAt }
        : null,
    );
    return;
  }
  const keys: ReadonlyMap<string, ApiKey | CompanyKey> =
    credential.type === 'api_key' ? store.keys : store.companyKeys;
  const key = keys.get(id);
  credential.require(
    key === undefined
      ? null
      : {
          scopes: key.scopes,
          expiresAt: key.expiresAt,
          revokedAt: key.revokedAt ?? suspendedAt,
        },
  );
}
