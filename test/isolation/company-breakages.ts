import {
  type AccessRequest,
  type CompanyCaller,
  isRequestEvent,
  issueReceipt,
  type Ports,
  type VersionedAccessFacts,
} from '#core';
import type { BrokenPolicy } from './find-fault.ts';

type NewestRequest = NonNullable<VersionedAccessFacts['newestRequest']>;
type Find = Ports['accessRequests']['find'];

const asTheOneAsked = async (find: Find, caller: CompanyCaller, id: string) => ({
  ...caller,
  companyId: (await find(id))?.companyId ?? caller.companyId,
});

const recordsOf = (records: readonly unknown[], companyId: string): object[] =>
  records.map((record) => ({ ...(record as object), company_id: companyId }));

const withGrant =
  (widen: (request: AccessRequest) => Partial<NewestRequest> | null) =>
  ({ accessFacts, accessRequests }: Ports): Partial<Ports> => {
    async function lie(facts: VersionedAccessFacts): Promise<VersionedAccessFacts> {
      const { newestRequest } = facts;
      const request = newestRequest && (await accessRequests.find(newestRequest.id));
      const grant = request && widen(request);
      if (newestRequest === null || grant === null) return facts;
      return { ...facts, newestRequest: { ...newestRequest, status: 'approved', ...grant } };
    }
    return {
      accessFacts: {
        ...accessFacts,
        read: async (question) => lie(await accessFacts.read(question)),
        async authenticate(question) {
          const found = await accessFacts.authenticate(question);
          return found && { ...found, facts: found.facts && (await lie(found.facts)) };
        },
      },
    };
  };

export const companyBreakages: Readonly<Record<string, BrokenPolicy>> = {
  'lets an investor read added scopes before the company approves them': {
    world: 2,
    replace: withGrant(({ status, approvedScopes, pendingScopes }) =>
      status === 'approved' ? { approvedScopes: [...approvedScopes, ...pendingScopes] } : null,
    ),
    explanation: /because .*the company has not decided on/,
  },
  'allows reads after an investor has withdrawn its grant': {
    world: 2,
    replace: withGrant(({ lastEventType, approvedScopes }) =>
      lastEventType === 'access_request.withdrawn' && approvedScopes.length > 0
        ? { approvedScopes, deadlineAt: new Date('9999-12-31') }
        : null,
    ),
    explanation: /because .*the request or its grant has expired/,
  },
  'shows a company the requests to all companies': {
    replace: ({ accessRequests, directory }) => ({
      accessRequests: {
        ...accessRequests,
        async listReceived(page) {
          const companies = await directory.listCompanies();
          const all = companies.map(({ id }) =>
            accessRequests.listReceived({ ...page, companyId: id }),
          );
          return (await Promise.all(all)).flat();
        },
      },
    }),
    explanation: /because .*these are the requests to the company/,
  },
  'shows a request to every company that knows the request’s id': {
    interposeCompanies: (useCases, { accessRequests: { find } }) => ({
      ...useCases,
      readReceivedRequest: async (caller, input) =>
        useCases.readReceivedRequest(await asTheOneAsked(find, caller, input.id), input),
    }),
    explanation: /because .*it is a request to another company/,
  },
  'lets a company decide for another company': {
    interposeCompanies: (useCases, { accessRequests: { find } }) => ({
      ...useCases,
      approveRequest: async (caller, input) =>
        useCases.approveRequest(await asTheOneAsked(find, caller, input.id), input),
    }),
    explanation: /another company’s decision is refused with/,
  },
  'lets a company narrow the grant of another company': {
    world: 16,
    interposeCompanies: (useCases, { accessRequests: { find } }) => ({
      ...useCases,
      narrowRequest: async (caller, input) =>
        useCases.narrowRequest(await asTheOneAsked(find, caller, input.id), input),
    }),
    explanation: /another company’s decision is refused with/,
  },
  'shows a company the data of another company': {
    interposeCompanies: (useCases, { directory }) => ({
      ...useCases,
      async readOwnSources(caller, ...rest) {
        const companies = await directory.listCompanies();
        const other = companies.find(({ id }) => id !== caller.companyId);
        return useCases.readOwnSources(
          { ...caller, companyId: other?.id ?? caller.companyId },
          ...rest,
        );
      },
    }),
    explanation: /because .*it is the company’s own/,
  },
  'applies a push that is only a dry run': {
    world: 1,
    interposeCompanies: (useCases) => ({
      ...useCases,
      pushRecords: (caller, input) => useCases.pushRecords(caller, { ...input, dryRun: false }),
    }),
    explanation: /because/,
  },
  'stores pushed data of another company as data of the pushing company': {
    interposeCompanies: (useCases) => ({
      ...useCases,
      pushRecords: (caller, input) =>
        useCases.pushRecords(caller, {
          ...input,
          records: recordsOf(input.records, caller.companyId),
        }),
    }),
    explanation: /data of .*, pushed by .*, was taken|has uploaded of another is to /,
  },
  'shows a contact a file about another company as data of its own company': {
    world: 13,
    interposeCompanies: (useCases) => ({
      ...useCases,
      previewPush: (caller, { records }) =>
        useCases.previewPush(caller, { records: recordsOf(records, caller.companyId) }),
    }),
    explanation: /a contact of .* has uploaded of another is shown/,
  },
  'compares an upload with the data of another company': {
    world: 7,
    interposeCompanies: (useCases, { directory }) => ({
      ...useCases,
      async previewPush(caller, { records }) {
        const companies = await directory.listCompanies();
        const other = companies.find(({ id }) => id !== caller.companyId);
        const companyId = other?.id ?? caller.companyId;
        return useCases.previewPush(
          { ...caller, companyId },
          { records: recordsOf(records, companyId) },
        );
      },
    }),
    explanation:
      /a contact of .* has uploaded (?:is answered with|would change|leads status 409|of another is)/,
  },
  'lets a company push data of another company': {
    interposeCompanies: (useCases) => ({
      ...useCases,
      async pushRecords(caller, input) {
        const [record] = input.records as { company_id?: string }[];
        const companyId = record?.company_id ?? caller.companyId;
        return useCases.pushRecords({ ...caller, companyId }, input);
      },
    }),
    explanation: /data of .*, pushed by .*, was taken/,
  },
  'accepts a revoked company key': {
    world: 2,
    replace: ({ companyKeys }) => ({
      companyKeys: {
        ...companyKeys,
        transact: (id, credential, work) =>
          companyKeys.transact(id, credential, (own) => work({ ...own, revoke: async () => true })),
      },
    }),
    explanation: /REST for companies: [\s\S]*because .*the key has ended/,
  },
  'shows a company the readers of the other environment': {
    replace: ({ accessRecords }) => ({
      accessRecords: {
        ...accessRecords,
        async listReceived(filter) {
          const both = (['live', 'test'] as const).map((environment) =>
            accessRecords.listReceived({ ...filter, environment }),
          );
          return (await Promise.all(both)).flat();
        },
      },
    }),
    explanation: /because .*no caller of the other environment is named/,
  },
  'sends an investor events of a company outside the portfolio': {
    world: 13,
    replace: ({ accessEvents }) => ({
      accessEvents: {
        ...accessEvents,
        async read(query) {
          const { reader } = query;
          if (reader === null || 'companyId' in reader) return accessEvents.read(query);
          const all = await accessEvents.read({ ...query, reader: null, limit: 100_000 });
          return all.filter(
            (event) =>
              !isRequestEvent(event) || event.accessRequest.investorId === reader.investorId,
          );
        },
      },
    }),
    explanation: /because .*these are the events of the portfolio/,
  },
  'sends a company the events of all companies': {
    replace: ({ accessEvents }) => ({
      accessEvents: {
        ...accessEvents,
        read: (query) =>
          accessEvents.read(
            query.reader !== null && 'companyId' in query.reader
              ? { ...query, reader: null }
              : query,
          ),
      },
    }),
    explanation: /because .*these are the events of the company/,
  },
  'sends an investor the parts of data events that its grant doesn’t include': {
    world: 2,
    interpose: (useCases, { accessEvents }) => ({
      ...useCases,
      async readInvestorEvents(caller, input) {
        const page = await useCases.readInvestorEvents(caller, input);
        const whole = page.events.map(
          async (event) => (await accessEvents.find(event.id)) ?? event,
        );
        return { ...page, events: await Promise.all(whole) };
      },
    }),
    explanation: /because .*these are the events of the portfolio/,
  },
  'sends an investor data events of its portfolio without a grant': {
    interpose: (useCases, { accessEvents, directory }) => ({
      ...useCases,
      async readInvestorEvents(caller, input) {
        const page = await useCases.readInvestorEvents(caller, input);
        const query = { reader: null, after: null, since: null, limit: 100_000 };
        const all = (await accessEvents.read(query)).filter((event) => !isRequestEvent(event));
        const isOwn = all.map(({ companyId }) =>
          directory.isInPortfolio(caller.investorId, companyId),
        );
        const inPortfolio = await Promise.all(isOwn);
        const requests = page.events.filter(isRequestEvent);
        return { ...page, events: [...requests, ...all.filter((_, index) => inPortfolio[index])] };
      },
    }),
    explanation: /because .*these are the events of the portfolio/,
  },
  'shows an investor the history of any request': {
    interpose: (useCases, { accessEvents }) => ({
      ...useCases,
      readAccessRequestHistory: (_caller, { id }) => accessEvents.history(id),
    }),
    explanation: /because .*the request isn’t the investor’s/,
  },
  'shows an investor the receipts of any request': {
    interpose: (useCases, { accessRequests: { find } }) => ({
      ...useCases,
      async readReceipts(caller, input) {
        const { investorId } = (await find(input.id)) ?? caller;
        return useCases.readReceipts({ ...caller, investorId }, input);
      },
    }),
    explanation: /the receipts of [\s\S]*because .*the request isn’t the investor’s/,
  },
  'shows an investor the receipts of a company outside the portfolio': {
    world: 13,
    interpose: (useCases, { accessRequests, receipts }) => ({
      ...useCases,
      async readReceipts(caller, input) {
        const request = await accessRequests.find(input.id);
        if (request?.investorId !== caller.investorId) return useCases.readReceipts(caller, input);
        const query = { accessRequestId: input.id, after: null, limit: 200 };
        const chain = (await receipts.list(query)) ?? [];
        const items = chain.flatMap(({ event, receipt }) => issueReceipt(event, receipt) ?? []);
        return { items, nextCursor: null, awaitsSignature: false, head: null };
      },
    }),
    explanation: /the receipts of [\s\S]*because .*the company is not in the portfolio/,
  },
  'shows a company the receipts of any request': {
    interposeCompanies: (useCases, { accessRequests: { find } }) => ({
      ...useCases,
      readReceivedReceipts: async (caller, input) =>
        useCases.readReceivedReceipts(await asTheOneAsked(find, caller, input.id), input),
    }),
    explanation: /the receipts of [\s\S]*because .*it is a request to another company/,
  },
  'lets an investor withdraw another investor’s request': {
    world: 3,
    interpose: (useCases, { accessRequests: { find } }) => ({
      ...useCases,
      async withdrawAccessRequest(caller, input) {
        const { investorId } = (await find(input.id)) ?? caller;
        return useCases.withdrawAccessRequest({ ...caller, investorId }, input);
      },
    }),
    explanation: /^withdraw by \w+: (ok|illegal_transition), not access_request_not_found/,
  },
};
