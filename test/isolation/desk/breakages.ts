import type { CallingSession, CompanyCaller, Ports } from '#core';
import type { BrokenPolicy } from '../find-fault.ts';

/** Collects the results of all companies. */
async function ofAll<Told>(
  { directory }: Ports,
  tell: (companyId: string) => Promise<readonly Told[]>,
): Promise<Told[]> {
  const companies = await directory.listCompanies();
  return (await Promise.all(companies.map(({ id }) => tell(id)))).flat();
}

/** Treats a contact who acts on a request as a contact of the company that received the request. */
async function asTheOneAsked<Caller extends CompanyCaller>(
  { accessRequests }: Ports,
  caller: Caller,
  id: string,
): Promise<Caller> {
  const companyId = (await accessRequests.find(id))?.companyId ?? caller.companyId;
  return { ...caller, companyId };
}

/** Changes the session that a contact is admitted with. */
const session =
  (lie: (session: CallingSession) => CallingSession) =>
  ({ deskSessions }: Ports): Partial<Ports> => ({
    deskSessions: {
      ...deskSessions,
      async authenticate(digest) {
        const found = await deskSessions.authenticate(digest);
        return found && lie(found);
      },
    },
  });

const neverYet = new Date('9999-12-31T00:00:00Z');

/** Broken policies that let a contact see or do too much at the desk. */
export const deskBreakages: Readonly<Record<string, BrokenPolicy>> = {
  'shows a request to the contacts of all companies': {
    interposeCompanies: (useCases, ports) => ({
      ...useCases,
      readReceivedRequest: async (caller, input) =>
        useCases.readReceivedRequest(await asTheOneAsked(ports, caller, input.id), input),
    }),
    explanation: /the form \/desk\/requests\/ar_\w+\/review of|because it is of another company/,
  },
  'lets a contact decide for another company': {
    world: 15,
    // A page reads a request before the contact decides on it.
    interposeCompanies: (useCases, ports) => ({
      ...useCases,
      readReceivedRequest: async (caller, input) =>
        useCases.readReceivedRequest(await asTheOneAsked(ports, caller, input.id), input),
      async approveRequest(caller, input) {
        if (caller.actor.type !== 'contact') return useCases.approveRequest(caller, input);
        return useCases.approveRequest(await asTheOneAsked(ports, caller, input.id), input);
      },
    }),
    explanation: /the form \/desk\/requests\/ar_\w+\/(?:review|decide) of .*, not status 404/,
  },
  'shows a contact the figures of another company': {
    interposeCompanies: (useCases, { directory }) => ({
      ...useCases,
      async readOwnMetrics(caller, ...rest) {
        const companies = await directory.listCompanies();
        const other = companies.find(({ id }) => id !== caller.companyId);
        const companyId = other?.id ?? caller.companyId;
        return useCases.readOwnMetrics({ ...caller, companyId }, ...rest);
      },
    }),
    explanation:
      /desk\/data(?:\/template\.csv)?, for [\s\S]*because these are the figures of the company/,
  },
  'shows requests to other companies in the inbox': {
    replace: (ports) => ({
      accessRequests: {
        ...ports.accessRequests,
        listWaiting: (page) =>
          ofAll(ports, (companyId) => ports.accessRequests.listWaiting({ ...page, companyId })),
      },
    }),
    explanation: /the desk: \/desk\/, [\s\S]*because these wait for the company or end soon/,
  },
  'shows grants of other companies that end soon in the inbox': {
    world: 1,
    replace: (ports) => ({
      accessRequests: {
        ...ports.accessRequests,
        listEnding: (query) =>
          ofAll(ports, (companyId) => ports.accessRequests.listEnding({ ...query, companyId })),
      },
    }),
    explanation: /the desk: \/desk\/, [\s\S]*because these wait for the company or end soon/,
  },
  'lists the requests to all companies in the desk': {
    replace: (ports) => ({
      accessRequests: {
        ...ports.accessRequests,
        listReceived: (page) =>
          ofAll(ports, (companyId) => ports.accessRequests.listReceived({ ...page, companyId })),
      },
    }),
    explanation: /the desk: \/desk\/requests, [\s\S]*because these are the requests to the company/,
  },
  'offers investors of other companies as filters': {
    replace: (ports) => ({
      accessRequests: {
        ...ports.accessRequests,
        listRequestingInvestors: (_companyId, limit) =>
          ofAll(ports, (companyId) =>
            ports.accessRequests.listRequestingInvestors(companyId, limit),
          ),
      },
    }),
    explanation: /the desk: \/desk\/activity, [\s\S]*because these have looked at the company/,
  },
  'writes the reads of all companies into the CSV file': {
    world: 1,
    interposeCompanies: (useCases, ports) => ({
      ...useCases,
      async *walkReceivedRecords(caller, filter) {
        for (const { id: companyId } of await ports.directory.listCompanies()) {
          yield* useCases.walkReceivedRecords({ ...caller, companyId }, filter);
        }
        return undefined;
      },
    }),
    explanation: /the desk: \/desk\/activity\.csv, [\s\S]*because these have looked at the company/,
  },
  'sends a contact the events of another company': {
    interposeCompanies: (useCases, { directory }) => ({
      ...useCases,
      async watchCompanyEvents(caller, input, signal) {
        const other = (await directory.listCompanies()).find(({ id }) => id !== caller.companyId);
        const companyId = other?.id ?? caller.companyId;
        return useCases.watchCompanyEvents({ ...caller, companyId }, input, signal);
      },
    }),
    explanation: /the live events of/,
  },
  'never ends a session': {
    replace: session((found) => ({ ...found, lastSeenAt: neverYet, expiresAt: neverYet })),
    explanation: /because the session has ended|not to \/desk\/sign-in\?because=ended/,
  },
  'lets a session act for a company whose contact was removed': {
    world: 6,
    replace(ports) {
      const before = new Map<string, CallingSession>();
      return session((found) => {
        if (found.chosen !== null) before.set(found.id, found);
        return before.get(found.id) ?? found;
      })(ports);
    },
    explanation: / of \S+ \(no company chosen\)|not to \/desk\/companies/,
  },
  'accepts a session that was ended': {
    replace({ deskSessions }) {
      const before = new Map<string, CallingSession | null>();
      return {
        deskSessions: {
          ...deskSessions,
          async authenticate(digest) {
            const found = (await deskSessions.authenticate(digest)) ?? before.get(digest) ?? null;
            before.set(digest, found);
            return found;
          },
        },
      };
    },
    explanation: /because the session has ended|not to \/desk\/sign-in\?because=ended/,
  },
  'lets a session choose a company without a contact of its address': {
    world: 5,
    replace(ports) {
      const chosen = new Map<string, NonNullable<CallingSession['chosen']>>();
      const { deskSessions } = session((found) => ({
        ...found,
        chosen: chosen.get(found.id) ?? found.chosen,
      }))(ports) as Pick<Ports, 'deskSessions'>;
      return {
        deskSessions: {
          ...deskSessions,
          async choose(id, companyId) {
            chosen.delete(id);
            if (await deskSessions.choose(id, companyId)) return true;
            const [company, [contact]] = await Promise.all([
              ports.directory.findCompany(companyId),
              ports.contacts.list({ companyId }),
            ]);
            if (company === null || contact === undefined) return false;
            const { name: companyName, environment } = company;
            const role = 'admin';
            chosen.set(id, { contactId: contact.id, role, companyId, companyName, environment });
            return true;
          },
        },
      };
    },
    explanation: /the form \/desk\/companies of .*: to \/desk\/, not status 404/,
  },
  'offers a session all companies to choose from': {
    replace: ({ deskSessions, directory }) => ({
      deskSessions: {
        ...deskSessions,
        listOrganisations: async () =>
          (await directory.listCompanies()).map(({ id, name }) => ({ id, name, kind: 'company' })),
      },
    }),
    explanation: /because the address is a contact of these companies/,
  },
  'lets a contact end the sessions of another address': {
    world: 44,
    replace({ deskSessions }) {
      const emails = new Map<string, string>();
      const { deskSessions: noting } = session((found) => {
        emails.set(found.id, found.email);
        return found;
      })({ deskSessions } as Ports) as Pick<Ports, 'deskSessions'>;
      return {
        deskSessions: {
          ...noting,
          end: (id, by) => deskSessions.end(id, by && { ...by, email: emails.get(id) ?? by.email }),
        },
      };
    },
    explanation: /because here the address is signed in|but is: to \/desk\/sign-in\?because=ended/,
  },
  'shows a contact the sessions of other addresses': {
    replace({ deskSessions }) {
      const emails = new Set<string>();
      const { deskSessions: noting } = session((found) => {
        emails.add(found.email);
        return found;
      })({ deskSessions } as Ports) as Pick<Ports, 'deskSessions'>;
      const list = async () =>
        (await Promise.all([...emails].map((email) => deskSessions.list(email)))).flat();
      return { deskSessions: { ...noting, list } };
    },
    explanation: /the desk: \/desk\/sessions, [\s\S]*because here the address is signed in/,
  },
  'shows a contact the webhooks of other companies': {
    world: 2,
    replace: ({ webhookEndpoints }) => ({
      webhookEndpoints: { ...webhookEndpoints, list: () => webhookEndpoints.list(null) },
    }),
    explanation: /because events of the company are sent there/,
  },
  'lets a contact remove contacts of other companies': {
    interposeCompanies: (useCases, { contacts }) => ({
      ...useCases,
      async removeOwnContact(caller, { id }) {
        const owner = (await contacts.list(null)).find((one) => one.id === id)?.owner;
        await useCases.removeOwnContact({ ...caller, ...owner }, { id });
      },
    }),
    explanation: /the form \/desk\/settings\/contacts\/ct_\w+\/remove of .*, not status 404/,
  },
};
