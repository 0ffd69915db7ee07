import type { DeskSessions, Session, SignInLinks } from '#core';
import { compare, mustExist, type Store, type StoredLink } from './store.ts';

export function createMemorySignInLinks({ signInLinks: links, contacts }: Store): SignInLinks {
  const isExcessive = (
    link: StoredLink,
    { count, milliseconds }: Parameters<SignInLinks['claim']>[0]['bound'],
  ) =>
    [...links.values()].filter(
      (earlier) =>
        earlier.email === link.email &&
        (earlier.state === 'waiting' || earlier.state === 'sent') &&
        earlier.createdAt.getTime() > link.createdAt.getTime() - milliseconds &&
        byAge(earlier, link) < 0,
    ).length >= count;

  function change(
    { id, attempts }: Parameters<SignInLinks['settle']>[0],
    next: Partial<StoredLink>,
  ): boolean {
    const link = links.get(id);
    if (link?.attempts !== attempts || link.state !== 'waiting') return false;
    links.set(id, { ...link, ...next });
    return true;
  }

  return {
    async add(link, digest) {
      links.set(link.id, structuredClone({ ...link, digest }));
    },
    async claim({ now, until, limit, bound }) {
      const due = [...links.values()]
        .filter(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= now)
        .toSorted(
          (a, b) => Number(a.nextAttemptAt) - Number(b.nextAttemptAt) || compare(a.id, b.id),
        )
        .slice(0, limit);
      return due.map((link) => {
        const { id, email, createdAt } = link;
        const attempts = link.attempts + 1;
        links.set(id, { ...link, attempts, nextAttemptAt: until });
        return {
          id,
          email,
          attempts,
          createdAt,
          isOfContact: [...contacts.values()].some((contact) => contact.email === email),
          isExcessive: isExcessive(link, bound),
        };
      });
    },
    renew: async (attempt, digest, expiresAt) => change(attempt, { digest, expiresAt }),
    async settle(attempt, next) {
      change(attempt, next);
    },
    async forget(before) {
      for (const { id, createdAt } of links.values()) if (createdAt < before) links.delete(id);
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
      if (previousDigest !== null) sessions.delete(sessionIds.get(previousDigest) ?? '');
      const contactId = others.length === 0 ? contact.id : null;
      const session: Session = { ...newSession.session, email, contactId };
      sessions.set(session.id, structuredClone(session));
      sessionIds.set(newSession.digest, session.id);
      return session;
    },
    async authenticate(digest) {
      const session = sessions.get(sessionIds.get(digest) ?? '');
      if (session === undefined) return null;
      const { id, email, lastSeenAt, expiresAt, contactId } = session;
      const contact = contacts.get(contactId ?? '');
      const companyCount = contactsOf(email).length;
      if (contact === undefined) {
        return { id, email, lastSeenAt, expiresAt, companyCount, chosen: null };
      }
      const { id: companyId, name: companyName, environment } = companyOf(contact.companyId);
      const chosen = { contactId: contact.id, companyId, companyName, environment };
      return { id, email, lastSeenAt, expiresAt, companyCount, chosen };
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
