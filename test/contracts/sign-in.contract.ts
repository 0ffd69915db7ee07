import { describe, expect, test } from 'vitest';
import type { Company, Contact, MailAttempt, Owner, Session, SignInLink } from '#core';
import {
  addCompany,
  addInvestor,
  anEntry,
  at,
  contactChanges,
  freshDigest,
  freshId,
} from './builders.ts';
import { contract } from './contract.ts';

const freshEmail = () => `${freshId('cfo')}@harbor.example`;

const aLink = (email: string, overrides: Partial<SignInLink> = {}): SignInLink => ({
  id: freshId('sl'),
  email,
  owner: null,
  state: 'waiting',
  attempts: 0,
  nextAttemptAt: at(),
  createdAt: at(),
  expiresAt: null,
  ...overrides,
});

const handedOut = (email: string, overrides: Partial<SignInLink> = {}): SignInLink =>
  aLink(email, { state: 'handed_out', nextAttemptAt: null, expiresAt: at(900), ...overrides });

const aSession = (overrides: Partial<Session> = {}) => ({
  session: {
    id: freshId('ds'),
    device: 'Firefox on Linux',
    signedInBy: 'link' as Session['signedInBy'],
    createdAt: at(),
    lastSeenAt: at(),
    expiresAt: at(1000),
    ...overrides,
  },
  digest: freshDigest(),
});

export const signInContract = contract('signing in', (repositories) => {
  async function addContactOf(owner: Owner, email: string): Promise<Contact> {
    const contact = { id: freshId('ct'), owner, email, role: 'viewer', createdAt: at() } as const;
    await contactChanges(repositories.contacts).add(contact);
    return contact;
  }

  async function addContact(
    email: string,
    company?: Company,
  ): Promise<{ company: Company; contact: Contact }> {
    const of = company ?? (await addCompany(repositories));
    const contact = await addContactOf({ companyId: of.id }, email);
    return { company: of, contact };
  }

  const redeem = (
    digest: string,
    milliseconds = 0,
    newSession = aSession(),
    previousDigest: string | null = null,
  ) =>
    repositories.deskSessions.open({ digest, now: at(milliseconds), newSession, previousDigest });

  async function openSession(email: string, link: Partial<SignInLink> = {}, overrides = {}) {
    const digest = freshDigest();
    await repositories.signInLinks.add(handedOut(email, link), digest);
    const newSession = aSession(overrides);
    const session = await redeem(digest, 1, newSession);
    return { session, digest: newSession.digest };
  }

  describe('a sign-in link', () => {
    const claim = async (own: SignInLink[], milliseconds = 0) => {
      const claimed = await repositories.signInLinks.claim({
        now: at(milliseconds),
        until: at(milliseconds + 100),
        limit: 1000,
      });
      const ids = new Set(own.map(({ id }) => id));
      return claimed.filter(({ id }) => ids.has(id));
    };

    const settle = (attempt: MailAttempt, state: 'sent' | 'failed') => {
      const outcome = { state, nextAttemptAt: null, lastFailure: null, sentAt: null };
      return repositories.signInLinks.settle(attempt, outcome);
    };

    test('is claimed by one process when its mail is due, and by a second only if the first has stopped', async () => {
      const email = freshEmail();
      await addContact(email);
      const { signInLinks } = repositories;
      const [due, early, printed] = [
        aLink(email),
        aLink(freshEmail(), { nextAttemptAt: at(1) }),
        handedOut(email),
      ];
      for (const link of [due, early, printed]) await signInLinks.add(link, null);
      const own = [due, early, printed];
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(own)));
      const { id, createdAt } = due;
      const claimed = { id, email, createdAt, isOfContact: true, language: null };
      expect(claims.flat()).toEqual([{ ...claimed, attempts: 1 }]);
      expect((await claim(own, 1)).map((link) => [link.id, link.isOfContact])).toEqual([
        [early.id, false],
      ]);
      expect(await claim([due], 99)).toEqual([]);
      expect(await claim([due], 100)).toEqual([{ ...claimed, attempts: 2 }]);
    });

    test('is excessive if the maximum number of links for its address is waiting or sent', async () => {
      const email = freshEmail();
      const { signInLinks } = repositories;
      const links = [0, 10, 20, 30, 60].map((createdAt) =>
        aLink(email, { createdAt: at(createdAt), nextAttemptAt: at(60) }),
      );
      const others = [
        aLink(freshEmail(), { createdAt: at(25), nextAttemptAt: at(60) }),
        handedOut(email, { createdAt: at(25) }),
      ];
      for (const link of [...links, ...others]) await signInLinks.add(link, null);
      const excessive = async () => {
        const bound = { count: 2, milliseconds: 50 };
        const ids = [...links, ...others].map(({ id }) => id);
        const found = await repositories.signInLinks.findExcessive(ids, bound);
        return links.map(({ id }) => found.has(id));
      };
      expect(await excessive()).toEqual([false, false, true, true, true]);
      await claim(links, 60);
      const [first, second, third] = links.map(({ id }) => ({ id, attempts: 1 }));
      await settle(first ?? fail(), 'sent');
      for (const link of [second, third]) await settle(link ?? fail(), 'failed');
      expect(await excessive()).toEqual([false, false, false, false, false]);
    });

    test('keeps the result of its latest claim, and ignores late results of earlier claims', async () => {
      const { signInLinks } = repositories;
      const email = freshEmail();
      await addContact(email);
      const link = aLink(email);
      await signInLinks.add(link, null);
      await claim([link]);
      await claim([link], 100);
      const [late, now] = [1, 2].map((attempts) => ({ id: link.id, attempts }));
      const [old, digest] = [freshDigest(), freshDigest()];
      expect(await signInLinks.renew(late ?? fail(), old, at(900))).toBe(false);
      expect(await signInLinks.renew(now ?? fail(), old, at(900))).toBe(true);
      expect(await signInLinks.renew(now ?? fail(), digest, at(900))).toBe(true);
      await settle(late ?? fail(), 'failed');
      expect(await claim([link], 200)).toHaveLength(1);
      expect(await redeem(old, 2)).toBeNull();
      expect(await redeem(digest, 2)).not.toBeNull();
      // A link that was used must have arrived by mail, so its mail isn't sent again.
      expect(await claim([link], 300)).toEqual([]);
    });

    test('is deleted if it was created before a given time', async () => {
      const { signInLinks } = repositories;
      const email = freshEmail();
      const links = [-20, -10].map((createdAt) => aLink(email, { createdAt: at(createdAt) }));
      for (const link of links) await signInLinks.add(link, null);
      await signInLinks.deleteOld(at(-10));
      expect((await claim(links)).map(({ id }) => id)).toEqual([links[1]?.id]);
    });
  });

  describe('a session', () => {
    test('is opened by exactly one of many simultaneous sign-ins with the same link', async () => {
      const email = freshEmail();
      const { contact } = await addContact(email);
      const digest = freshDigest();
      await repositories.signInLinks.add(handedOut(email), digest);
      const attempts = Array.from({ length: 20 }, () => aSession());
      const opened = await Promise.all(attempts.map((newSession) => redeem(digest, 0, newSession)));
      const found = opened.filter((session) => session !== null);
      const expected = attempts.find(({ session }) => session.id === found[0]?.id)?.session;
      expect(found).toEqual([{ ...expected, email, contactId: contact.id }]);
      expect(await repositories.deskSessions.list(email)).toEqual(found);
    });

    test('isn’t opened if the link has expired, if its digest is wrong or if its address has no contact', async () => {
      const { signInLinks } = repositories;
      const email = freshEmail();
      const { company } = await addContact(email);
      const { company: foreign } = await addContact(freshEmail());
      const digest = freshDigest();
      await signInLinks.add(handedOut(email), digest);
      expect(await redeem(freshDigest(), 0)).toBeNull();
      expect(await redeem(digest, 900)).toBeNull();
      expect((await openSession(email, { owner: { companyId: foreign.id } })).session).toBeNull();
      expect((await openSession(freshEmail())).session).toBeNull();
      expect(
        (await openSession(email, { owner: { companyId: company.id } })).session,
      ).not.toBeNull();
      expect(await redeem(digest, 899)).not.toBeNull();
    });

    test('replaces the previous session of the same browser when it is opened', async () => {
      const { deskSessions, signInLinks } = repositories;
      const email = freshEmail();
      await addContact(email);
      const { digest: previousDigest } = await openSession(email);
      const digest = freshDigest();
      await signInLinks.add(handedOut(email), digest);
      const newSession = aSession();
      await redeem(freshDigest(), 0, newSession, previousDigest);
      expect(await deskSessions.authenticate(previousDigest)).not.toBeNull();
      await redeem(digest, 0, newSession, previousDigest);
      expect(await deskSessions.authenticate(previousDigest)).toBeNull();
      expect(await deskSessions.authenticate(newSession.digest)).toMatchObject({
        id: newSession.session.id,
      });
    });

    test('can be opened for a contact’s address without a link, and also replaces the previous session', async () => {
      const { deskSessions } = repositories;
      const [email, ofTwo, stranger] = [freshEmail(), freshEmail(), freshEmail()];
      const { contact } = await addContact(email);
      await addContact(ofTwo);
      await addContact(ofTwo);
      const { digest: previousDigest } = await openSession(email);
      const openFor = (address: string, newSession = aSession()) =>
        deskSessions.openForAddress({ email: address, newSession, previousDigest });
      expect(await openFor(stranger)).toBeNull();
      expect(await deskSessions.authenticate(previousDigest)).not.toBeNull();
      const newSession = aSession({ signedInBy: 'oidc' });
      const session = { ...newSession.session, email, contactId: contact.id };
      expect(await openFor(email, newSession)).toEqual(session);
      expect(await deskSessions.list(email)).toEqual([session]);
      expect(await deskSessions.authenticate(previousDigest)).toBeNull();
      expect(await deskSessions.authenticate(newSession.digest)).toMatchObject({
        id: session.id,
        signedInBy: 'oidc',
      });
      expect(await openFor(ofTwo)).toMatchObject({ email: ofTwo, contactId: null });
    });

    test('is found by its digest, with its contact and its company, even in many simultaneous reads', async () => {
      const { deskSessions } = repositories;
      const [email, ofTwo] = [freshEmail(), freshEmail()];
      const { company, contact } = await addContact(email);
      await addContact(ofTwo, company);
      await addContact(ofTwo);
      const [one, two] = [await openSession(email), await openSession(ofTwo)];
      const unknown = freshDigest();
      const found = await Promise.all(
        [one.digest, unknown, two.digest, unknown].map(deskSessions.authenticate),
      );
      const times = { lastSeenAt: at(), expiresAt: at(1000) };
      const { id: companyId, name: companyName, environment } = company;
      expect(found).toEqual([
        {
          id: one.session?.id,
          email,
          signedInBy: 'link',
          ...times,
          organisationCount: 1,
          chosen: { contactId: contact.id, companyId, companyName, environment, role: 'viewer' },
        },
        null,
        {
          ...{ id: two.session?.id, email: ofTwo, signedInBy: 'link', ...times },
          ...{ organisationCount: 2, chosen: null },
        },
        null,
      ]);
    });

    test('can choose a company that has a contact with its address, and then acts only as this contact', async () => {
      const { deskSessions, contacts } = repositories;
      const email = freshEmail();
      const { company, contact } = await addContact(email, await addCompany(repositories));
      const { company: other, contact: otherContact } = await addContact(email);
      const { company: foreign } = await addContact(freshEmail());
      const { session, digest } = await openSession(email);
      const id = session?.id ?? '';
      expect(await deskSessions.choose(id, foreign.id)).toBe(false);
      expect(await deskSessions.choose(freshId('ds'), company.id)).toBe(false);
      expect(await deskSessions.choose(id, company.id)).toBe(true);
      const acting = { id, contactId: contact.id };
      const asOther = { id, contactId: otherContact.id };
      const times = { lastSeenAt: at(), expiresAt: at(1000) };
      const findBoth = () => Promise.all([acting, asOther].map(deskSessions.findActing));
      expect(await findBoth()).toEqual([times, null]);
      expect(await deskSessions.choose(id, other.id)).toBe(true);
      expect(await findBoth()).toEqual([null, times]);
      await contactChanges(contacts).remove(otherContact.id);
      expect(await findBoth()).toEqual([null, null]);
      expect(await deskSessions.authenticate(digest)).toMatchObject({
        organisationCount: 1,
        chosen: null,
      });
    });

    test('stays open if a company removes the contact, while another company has a contact with the same address', async () => {
      const { deskSessions, contacts } = repositories;
      const email = freshEmail();
      const { company, contact } = await addContact(email);
      await addContact(email);
      const { digest } = await openSession(email);
      expect(
        await contacts.transact({ companyId: company.id }, null, (own) =>
          own.remove(contact.id, anEntry()),
        ),
      ).toBe(true);
      expect(await deskSessions.authenticate(digest)).toMatchObject({ organisationCount: 1 });
    });

    test('is deleted with all links of its address when the last contact with this address is removed', async () => {
      const { deskSessions, contacts, signInLinks } = repositories;
      const [email, neighbour] = [freshEmail(), freshEmail()];
      const { contact } = await addContact(email);
      await addContact(neighbour);
      const { digest } = await openSession(email);
      const kept = await openSession(neighbour);
      const token = freshDigest();
      await signInLinks.add(handedOut(email), token);
      await contactChanges(contacts).remove(contact.id);
      await addContact(email);
      expect(await deskSessions.authenticate(digest)).toBeNull();
      expect(await deskSessions.authenticate(kept.digest)).not.toBeNull();
      expect(await redeem(token)).toBeNull();
    });

    test('keeps the latest time of its use, even if an earlier time is stored afterwards', async () => {
      const { deskSessions } = repositories;
      const email = freshEmail();
      await addContact(email);
      const { session, digest } = await openSession(email);
      for (const milliseconds of [5, 3]) {
        await deskSessions.touch(session?.id ?? '', at(milliseconds));
      }
      expect(await deskSessions.authenticate(digest)).toMatchObject({ lastSeenAt: at(5) });
    });

    test('is listed before older sessions, and can be ended by another session of its address or an operator', async () => {
      const { deskSessions } = repositories;
      const [email, stranger] = [freshEmail(), freshEmail()];
      await addContact(email);
      await addContact(stranger);
      const { session: early } = await openSession(email);
      const { session: late } = await openSession(email, {}, { createdAt: at(5), device: null });
      await openSession(stranger);
      expect(await deskSessions.list(email)).toEqual([late, early]);
      const by = { id: early?.id ?? '', email };
      const id = late?.id ?? '';
      expect(await deskSessions.end(id, { ...by, email: stranger })).toBe(false);
      expect(await deskSessions.end(id, { id: freshId('ds'), email })).toBe(false);
      expect(await deskSessions.end(id, by)).toBe(true);
      expect(await deskSessions.end(id, by)).toBe(false);
      expect(await deskSessions.list(email)).toEqual([early]);
      expect(await deskSessions.end(by.id, null)).toBe(true);
      expect(await deskSessions.end(by.id, null)).toBe(false);
      expect(await deskSessions.list(stranger)).toHaveLength(1);
    });

    test('accepts each submitted form once, even if the browser sends it several times at once', async () => {
      const { deskSessions } = repositories;
      const [email, other] = [freshEmail(), freshEmail()];
      await addContact(email);
      await addContact(other);
      const { session } = await openSession(email);
      const { session: neighbour } = await openSession(other);
      const form = freshId('form');
      const claims = await Promise.all(
        Array.from({ length: 20 }, () => deskSessions.claimForm(session?.id ?? '', form)),
      );
      expect(claims.filter((isFirst) => isFirst)).toHaveLength(1);
      expect(await deskSessions.claimForm(session?.id ?? '', freshId('form'))).toBe(true);
      expect(await deskSessions.claimForm(neighbour?.id ?? '', form)).toBe(true);
      expect(await deskSessions.claimForm(freshId('ds'), form)).toBe(false);
      await deskSessions.end(session?.id ?? '', null);
      expect(await deskSessions.claimForm(session?.id ?? '', freshId('form'))).toBe(false);
    });

    test('is deleted after it has expired', async () => {
      const { deskSessions } = repositories;
      const email = freshEmail();
      await addContact(email);
      await openSession(email, {}, { expiresAt: at(-1) });
      const { session: kept } = await openSession(email);
      await deskSessions.deleteExpired(at(-1));
      expect(await deskSessions.list(email)).toEqual([kept]);
    });

    test('lists the companies and investors with a contact that has its address, sorted by name', async () => {
      const email = freshEmail();
      const [gamma, alpha] = [
        await addCompany(repositories, { name: 'Gamma' }),
        await addCompany(repositories, { name: 'Alpha' }),
      ];
      const beta = await addInvestor(repositories, { name: 'Beta' });
      for (const { id } of [gamma, alpha]) await addContactOf({ companyId: id }, email);
      await addContactOf({ investorId: beta.id }, email);
      expect(await repositories.deskSessions.listOrganisations(email)).toEqual([
        { id: alpha.id, name: 'Alpha', kind: 'company' },
        { id: beta.id, name: 'Beta', kind: 'investor' },
        { id: gamma.id, name: 'Gamma', kind: 'company' },
      ]);
    });

    test('can act for an investor or for a company, one at a time', async () => {
      const { deskSessions } = repositories;
      const email = freshEmail();
      const investor = await addInvestor(repositories);
      const contact = await addContactOf({ investorId: investor.id }, email);
      const { company } = await addContact(email);
      const { session, digest } = await openSession(email);
      const id = session?.id ?? '';
      expect(await deskSessions.choose(id, investor.id)).toBe(true);
      expect(await deskSessions.authenticate(digest)).toMatchObject({
        organisationCount: 2,
        chosen: {
          contactId: contact.id,
          investorId: investor.id,
          investorName: investor.name,
          environment: investor.environment,
          role: 'viewer',
        },
      });
      expect(await deskSessions.choose(id, company.id)).toBe(true);
      const chosen = (await deskSessions.authenticate(digest))?.chosen;
      expect(chosen).not.toHaveProperty('investorId');
    });

    test.each(['company', 'investor'] as const)(
      'can’t act for a suspended %s until the suspension ends, even with an older link or contact',
      async (kind) => {
        const { deskSessions, directory, accessFacts } = repositories;
        const email = freshEmail();
        const [party, other] = await Promise.all([
          kind === 'company' ? addCompany(repositories) : addInvestor(repositories),
          addCompany(repositories),
        ]);
        const owner = kind === 'company' ? { companyId: party.id } : { investorId: party.id };
        const contact = await addContactOf(owner, email);
        const { session, digest } = await openSession(email);
        const acting = { id: session?.id ?? '', contactId: contact.id };
        const question = { sessionId: acting.id, contactId: contact.id, companyId: other.id };
        const look = async () => ({
          chosen: (await deskSessions.authenticate(digest))?.chosen?.contactId ?? null,
          count: (await deskSessions.authenticate(digest))?.organisationCount,
          acts: (await deskSessions.findActing(acting)) !== null,
          reads: (await accessFacts.readOfContact(question)).session !== null,
          listed: (await deskSessions.listOrganisations(email)).length,
        });
        const before = await look();
        const isReading = kind === 'investor';
        const all = { chosen: contact.id, count: 1, acts: true, reads: isReading, listed: 1 };
        expect(before).toEqual(all);
        await directory.suspend(owner, at(), anEntry());
        const gone = { chosen: null, count: 0, acts: false, reads: false, listed: 0 };
        expect(await look()).toEqual(gone);
        expect(await deskSessions.choose(acting.id, party.id)).toBe(false);
        expect((await openSession(email)).session).toBeNull();
        const another = freshEmail();
        await addContactOf(owner, another);
        expect((await openSession(another)).session).toBeNull();
        await directory.suspend(owner, null, anEntry());
        expect(await look()).toEqual(before);
        expect((await openSession(another)).session).not.toBeNull();
      },
    );

    test('is opened for the investor for which the operator created its link', async () => {
      const email = freshEmail();
      const investor = await addInvestor(repositories);
      const contact = await addContactOf({ investorId: investor.id }, email);
      await addContact(email);
      const owner = { investorId: investor.id };
      const { session } = await openSession(email, { owner });
      expect(session?.contactId).toBe(contact.id);
    });
  });
});

function fail(): never {
  throw new Error('there is none');
}
