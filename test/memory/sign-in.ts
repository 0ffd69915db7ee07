import type { ClaimedLink, DeskSessions, Outbox, Session, SignInLinks } from '#core';
import { changeAttempt, createMemoryOutbox } from './outbox.ts';
import { compare, mustExist, type Store, type StoredLink } from './store.ts';

export function createMemorySignInLinks({ signInLinks: links, contacts }: Store): {
  readonly signInLinks: SignInLinks;
  readonly outbox: Outbox<ClaimedLink>;
} {
  const kept = {
    all: () => [...links.values()],
    save: (link: StoredLink) => void links.set(link.id, link),
  };
  return {
    outbox: createMemoryOutbox({
      ...kept,
      isAlike: async (earlier, link) => earlier.email === link.email,
      read: async ({ id, email, attempts, createdAt }) => ({
        ...{ id, email, attempts, createdAt },
        isOfContact: [...contacts.values()].some((contact) => contact.email === email),
      }),
    }),
    signInLinks: {
      async add(link, digest) {
        links.set(link.id, structuredClone({ ...link, digest }));
      },
      renew: async (attempt, digest, expiresAt) =>
        changeAttempt(kept, attempt, { digest, expiresAt }),
      async forget(before) {
        for (const { id, createdAt } of links.values()) if (createdAt < before) links.delete(id);
      },
    },
  };
}

export function createMemoryDeskSessions({
  sessions,
  sessionIds,
  signInLinks: links,
  contacts,
  companies,
}: Store): DeskSessions {
  const contactsOf = (email: string) =>
    [...contacts.values()].filter((contact) => contact.email === email);
  const companyOf = (companyId: string) =>
    mustExist(companies.get(companyId), `company ${companyId}`);
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
      const { id, email, companyId, state } = link;
      const [contact, ...others] = contactsOf(email).filter(
        (one) => companyId === null || one.companyId === companyId,
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
      const companyCount = contactsOf(email).length;
      if (contact === undefined) {
        return { id, email, signedInBy, lastSeenAt, expiresAt, companyCount, chosen: null };
      }
      const { id: companyId, name: companyName, environment } = companyOf(contact.companyId);
      const chosen = { contactId: contact.id, companyId, companyName, environment };
      return { id, email, signedInBy, lastSeenAt, expiresAt, companyCount, chosen };
    },
    async findActing({ id, contactId }) {
      const session = sessions.get(id);
      if (session?.contactId !== contactId) return null;
      return { lastSeenAt: session.lastSeenAt, expiresAt: session.expiresAt };
    },
    async touch(id, now) {
      const session = sessions.get(id);
      if (session && session.lastSeenAt < now) sessions.set(id, { ...session, lastSeenAt: now });
    },
    async choose(id, companyId) {
      const session = sessions.get(id);
      const contact = contactsOf(session?.email ?? '').find((one) => one.companyId === companyId);
      if (session === undefined || contact === undefined) return false;
      sessions.set(id, { ...session, contactId: contact.id });
      return true;
    },
    async listCompanies(email) {
      return contactsOf(email)
        .map(({ companyId }) => companyOf(companyId))
        .map(({ id, name }) => ({ id, name }))
        .toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
    },
    async list(email) {
      const own = [...sessions.values()].filter((session) => session.email === email);
      return structuredClone(own.toSorted((a, b) => byAge(b, a)));
    },
    async end({ id, email }) {
      return (email === null || sessions.get(id)?.email === email) && sessions.delete(id);
    },
    async claimForm(sessionId, formId) {
      const form = `${sessionId} ${formId}`;
      const isFirst = sessions.has(sessionId) && !forms.has(form);
      if (isFirst) forms.add(form);
      return isFirst;
    },
    async forget(now) {
      for (const { id, expiresAt } of sessions.values()) if (expiresAt <= now) sessions.delete(id);
    },
  };
}

type Aged = { readonly id: string; readonly createdAt: Date };

const byAge = (a: Aged, b: Aged) =>
  a.createdAt.getTime() - b.createdAt.getTime() || compare(a.id, b.id);
