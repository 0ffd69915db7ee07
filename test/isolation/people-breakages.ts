import type { CallingSession, ContactAccessFacts, ContactAccessQuestion, Ports } from '#core';
import { grantable } from '../support/contract.ts';
import type { BrokenPolicy } from './find-fault.ts';

/** Every read of a contact is based on these facts. */
const facts =
  (
    lie: (
      found: ContactAccessFacts,
      question: ContactAccessQuestion,
      ports: Ports,
    ) => ContactAccessFacts | Promise<ContactAccessFacts>,
  ) =>
  (ports: Ports): Partial<Ports> => ({
    accessFacts: {
      ...ports.accessFacts,
      readOfContact: async (question) =>
        lie(await ports.accessFacts.readOfContact(question), question, ports),
    },
  });

type Newest = NonNullable<ContactAccessFacts['newestRequest']>;

const newest = (change: Partial<Newest>) =>
  facts((found) => ({
    ...found,
    newestRequest: found.newestRequest && { ...found.newestRequest, ...change },
  }));

export const peopleBreakages: Readonly<Record<string, BrokenPolicy>> = {
  'lets a contact read companies outside the portfolio': {
    replace: facts((found) => ({ ...found, isInPortfolio: true })),
    explanation: /because the company is not in the portfolio/,
  },
  'lets a contact read with another investor’s grant': {
    replace: facts(async (found, { companyId }, { accessRequests }) => {
      const all = await accessRequests.list({ companyId, now: new Date(), limit: 100 });
      const granted = all.find(({ status }) => status === 'approved');
      return granted ? { ...found, newestRequest: { ...granted, declinedAt: null } } : found;
    }),
    explanation: /because (?:nothing was asked|the company has|the request or its grant)/,
  },
  'lets a contact read after the grant has ended': {
    replace: newest({ status: 'approved' }),
    explanation: /because the company has (?:not answered|revoked its grant|declined)/,
  },
  'lets a contact read scopes that weren’t granted': {
    world: 2,
    replace: newest({ approvedScopes: [...grantable] }),
    explanation: /because the company has not (?:approved|decided on) /,
  },
  'lets a contact read under a paused grant': {
    world: 2,
    replace: newest({ pausedAt: null }),
    explanation: /because the company has paused the grant/,
  },
  'accepts a session that has ended': {
    world: 2,
    replace({ deskSessions }) {
      const known = new Map<string, CallingSession | null>();
      return {
        deskSessions: {
          ...deskSessions,
          async authenticate(digest) {
            const found = (await deskSessions.authenticate(digest)) ?? known.get(digest) ?? null;
            known.set(digest, found);
            return found;
          },
        },
      };
    },
    explanation: /because the key has ended/,
  },
};
