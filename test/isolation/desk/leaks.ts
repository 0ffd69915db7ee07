import type { CompanyCaller, Ports } from '#core';
import type { Breakage } from '../harness.ts';

async function ofAll<Found>(
  { directory }: Ports,
  list: (companyId: string) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const companies = await directory.listCompanies();
  return (await Promise.all(companies.map(({ id }) => list(id)))).flat();
}

async function asReceiver<Caller extends CompanyCaller>(
  { accessRequests }: Ports,
  caller: Caller,
  id: string,
): Promise<Caller> {
  const companyId = (await accessRequests.find(id))?.companyId ?? caller.companyId;
  return { ...caller, companyId };
}

async function otherThan(
  { directory, companyData }: Ports,
  { companyId }: CompanyCaller,
): Promise<string> {
  for (const { id } of (await directory.listCompanies()).toReversed()) {
    if (id !== companyId && (await companyData.version(id)) !== '0') return id;
  }
  return companyId;
}

function rememberingAddresses({ deskSessions }: Ports) {
  const emails = new Map<string, string>();
  return {
    emails,
    deskSessions: {
      ...deskSessions,
      async authenticate(digest: string) {
        const found = await deskSessions.authenticate(digest);
        if (found !== null) emails.set(found.id, found.email);
        return found;
      },
    },
  };
}

export const companyLeaks: Readonly<Record<string, Breakage>> = {
  'shows a request to the contacts of all companies': {
    interposeCompanies: (useCases, ports) => ({
      ...useCases,
      readReceivedRequest: async (caller, input) =>
        useCases.readReceivedRequest(await asReceiver(ports, caller, input.id), input),
    }),
  },
  'lets a contact decide for another company': {
    interposeCompanies: (useCases, ports) => ({
      ...useCases,
      approveRequest: async (caller, input) =>
        useCases.approveRequest(await asReceiver(ports, caller, input.id), input),
    }),
  },
  'shows a contact the figures of another company': {
    interposeCompanies: (useCases, ports) => ({
      ...useCases,
      readOwnMetrics: async (caller, ...rest) =>
        useCases.readOwnMetrics({ ...caller, companyId: await otherThan(ports, caller) }, ...rest),
    }),
  },
  'shows requests to other companies in the inbox': {
    replace: (ports) => ({
      accessRequests: {
        ...ports.accessRequests,
        listWaiting: (page) =>
          ofAll(ports, (companyId) => ports.accessRequests.listWaiting({ ...page, companyId })),
      },
    }),
  },
  'lists the requests to all companies': {
    replace: (ports) => ({
      accessRequests: {
        ...ports.accessRequests,
        listReceived: (page) =>
          ofAll(ports, (companyId) => ports.accessRequests.listReceived({ ...page, companyId })),
      },
    }),
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
  },
  'writes the reads of all companies into the CSV file': {
    interposeCompanies: (useCases, ports) => ({
      ...useCases,
      async *walkReceivedRecords(caller, filter) {
        for (const { id: companyId } of await ports.directory.listCompanies()) {
          yield* useCases.walkReceivedRecords({ ...caller, companyId }, filter);
        }
        return undefined;
      },
    }),
  },
  'lets a session choose a company without a contact of its address': {
    replace: ({ deskSessions }) => ({
      deskSessions: { ...deskSessions, choose: async () => true },
    }),
  },
  'offers a session all companies to choose from': {
    replace: ({ deskSessions, directory }) => ({
      deskSessions: {
        ...deskSessions,
        listOrganisations: async () =>
          (await directory.listCompanies()).map(({ id, name }) => ({ id, name, kind: 'company' })),
      },
    }),
  },
  'lets a contact end the sessions of another address': {
    replace(ports) {
      const { emails, deskSessions } = rememberingAddresses(ports);
      return {
        deskSessions: {
          ...deskSessions,
          end: (id, by) =>
            ports.deskSessions.end(id, by && { ...by, email: emails.get(id) ?? by.email }),
        },
      };
    },
  },
  'shows a contact the sessions of other addresses': {
    replace(ports) {
      const { emails, deskSessions } = rememberingAddresses(ports);
      const list = async () =>
        (await Promise.all([...emails.values()].map(ports.deskSessions.list))).flat();
      return { deskSessions: { ...deskSessions, list } };
    },
  },
  'shows a contact the webhooks of other companies': {
    replace: ({ webhookEndpoints }) => ({
      webhookEndpoints: { ...webhookEndpoints, list: () => webhookEndpoints.list(null) },
    }),
  },
  'lets a contact remove contacts of other companies': {
    interposeCompanies: (useCases, { contacts }) => ({
      ...useCases,
      async removeOwnContact(caller, { id }) {
        const owner = (await contacts.list(null)).find((one) => one.id === id)?.owner;
        await useCases.removeOwnContact({ ...caller, ...owner }, { id });
      },
    }),
  },
};

export const investorLeaks: Readonly<Record<string, Breakage>> = {
  'shows a contact the webhooks of other investors': {
    replace: ({ webhookEndpoints }) => ({
      webhookEndpoints: { ...webhookEndpoints, list: () => webhookEndpoints.list(null) },
    }),
  },
  'finds the webhooks of other investors by their ids': {
    interpose: (useCases, { webhookEndpoints }) => ({
      ...useCases,
      async readWebhookEndpoint(caller, input) {
        const { owner } = (await webhookEndpoints.find(input.id)) ?? {};
        return useCases.readWebhookEndpoint({ ...caller, ...owner } as typeof caller, input);
      },
    }),
  },
  'lists the requests of all investors': {
    replace: ({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        list: ({ investorId: _, ...page }) => accessRequests.list(page),
      },
    }),
  },
};
