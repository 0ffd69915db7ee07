import type { CompanyRole, Contact, DeskSessions, InvestorRole, Session, SignInLinks } from '#core';
import { mailSettingsOf } from './contacts.ts';
import { changeAttempt, createMemoryMailQueue } from './mail-queue.ts';
import {
  compare,
  idOfOwner,
  isSameOwner,
  newestFirst,
  organisationOf,
  type Store,
  type StoredLink,
} from './store.ts';

export function createMemorySignInLinks(store: Store): SignInLinks {
  const { signInLinks: links, contacts } = store;
  const kept = {
    all: () => [...links.values()],
    save: (link: StoredLink) => void links.set(link.id, link),
  };
  return {
    ...createMemoryMailQueue({
      ...kept,
      isSimilar: async (earlier, link) => earlier.email === link.email,
      read: async ({ id, email, attempts, createdAt }) => ({
        ...{ id, email, attempts, createdAt },
        isOfContact: [...contacts.values()].some(
          (contact) =>
            contact.email === email && organisationOf(store, contact.owner).suspendedAt === null,
        ),
        language:
          [...contacts.values()]
            .filter((contact) => contact.email === email)
            .map(({ id: contactId }) => mailSettingsOf(store, contactId).language)
            .find((language) => language !== null) ?? null,
      }),
    }),
    async add(link, digest) {
      links.set(link.id, structuredClone({ ...link, digest }));
    },
    renew: async (attempt, digest, expiresAt) =>
      changeAttempt(kept, attempt, { digest, expiresAt }),
    async deleteOld(before) {
      for (const { id, createdAt } of links.values()) if (createdAt < before) links.delete(id);
    },
  };
}

export function createMemoryDeskSessions(store: Store): DeskSessions {
  const { sessions, sessionIds, signInLinks: links, contacts } = store;
  const contactsOf = (email: string) =>
    [...contacts.values()].filter((contact) => contact.email === email && isActive(contact));
  const isActive = ({ owner }: Contact) => organisationOf(store, owner).suspendedAt === null;
  function chosenBy({ id: contactId, owner, role }: Contact) {
    const { name, environment } = organisationOf(store, owner);
    return 'companyId' in owner
      ? { contactId, ...owner, companyName: name, environment, role: role as CompanyRole }
      : { contactId, ...owner, investorName: name, environment, role: role as InvestorRole };
  }

  const forms = new Set<string>();
  const insert = (
    { email, newSession, previousDigest }: Parameters<DeskSessions['openForAddress']>[0],
    contactId: string | null,
  ): Session => {
    if (previousDigest !== null) sessions.delete(sessionIds.get(previousDigest) ?? '');
    const session: Session = { ...newSession.session, email, contactId };
    sessions.set(session.id, structuredClone(session));
    sessionIds.set(newSession.digest, session.id);
    return session;
  };

  return {
    async open({ digest, now, newSession, previousDigest }) {
      const link = [...links.values()].find((one) => one.digest === digest);
      if (link === undefined || link.expiresAt === null || link.expiresAt <= now) return null;
      const { id, email, owner, state } = link;
      const [contact, ...others] = contactsOf(email).filter(
        (one) => owner === null || isSameOwner(one.owner, owner),
      );
      if (contact === undefined) return null;
      links.set(id, {
        ...link,
        digest: null,
        nextAttemptAt: null,
        state: state === 'waiting' ? 'sent' : state,
      });
      const contactId = others.length === 0 ? contact.id : null;
      return insert({ email, newSession, previousDigest }, contactId);
    },
    async openForAddress(opening) {
      const [contact, ...others] = contactsOf(opening.email);
      if (contact === undefined) return null;
      return insert(opening, others.length === 0 ? contact.id : null);
    },
    async authenticate(digest) {
      const session = sessions.get(sessionIds.get(digest) ?? '');
      if (session === undefined) return null;
      const { id, email, signedInBy, lastSeenAt, expiresAt, contactId } = session;
      const contact = contacts.get(contactId ?? '');
      const organisationCount = contactsOf(email).length;
      const chosen = contact === undefined || !isActive(contact) ? null : chosenBy(contact);
      return { id, email, signedInBy, lastSeenAt, expiresAt, organisationCount, chosen };
    },
    async findActing({ id, contactId }) {
      const session = sessions.get(id);
      const contact = contacts.get(contactId);
      if (session?.contactId !== contactId || contact === undefined || !isActive(contact))
        return null;
      return { lastSeenAt: session.lastSeenAt, expiresAt: session.expiresAt };
    },
    async touch(id, now) {
      const session = sessions.get(id);
      if (session && session.lastSeenAt < now) sessions.set(id, { ...session, lastSeenAt: now });
    },
    async choose(id, organisationId) {
      const session = sessions.get(id);
      const contact = contactsOf(session?.email ?? '').find(
        (one) => idOfOwner(one.owner) === organisationId,
      );
      if (session === undefined || contact === undefined) return false;
      sessions.set(id, { ...session, contactId: contact.id });
      return true;
    },
    async listOrganisations(email) {
      return contactsOf(email)
        .map(({ owner }) => {
          const { id, name } = organisationOf(store, owner);
          return { id, name, kind: 'companyId' in owner ? 'company' : 'investor' } as const;
        })
        .toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
    },
    async list(email) {
      const own = [...sessions.values()].filter((session) => session.email === email);
      return structuredClone(newestFirst(own));
    },
    async end(id, by) {
      const isAllowed =
        by === null || (sessions.has(by.id) && sessions.get(id)?.email === by.email);
      return isAllowed && sessions.delete(id);
    },
    async claimForm(sessionId, formId) {
      const form = `${sessionId} ${formId}`;
      const isFirst = sessions.has(sessionId) && !forms.has(form);
      if (isFirst) forms.add(form);
      return isFirst;
    },
    async deleteExpired(now) {
      for (const { id, expiresAt } of sessions.values()) if (expiresAt <= now) sessions.delete(id);
    },
  };
}
