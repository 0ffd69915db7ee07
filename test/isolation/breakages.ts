import {
  AccessError,
  type AccessFactsReader,
  type AccessQuestion,
  type AccessRequest,
  type AccessToken,
  type AuthenticationQuestion,
  type CallingKey,
  type Directory,
  type InvestorCaller,
  type InvestorUseCases,
  type ListedEntry,
  type Ports,
  type Protocol,
  type VersionedAccessFacts,
  type VersionedCompany,
} from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';
import { allScopes, grantable } from '../support/contract.ts';
import { readingOf } from '../support/loading-reads.ts';
import type { BrokenPolicy } from './find-fault.ts';

const neverYet = new Date('9999-12-31T00:00:00Z');

const accessFacts =
  (lie: (facts: VersionedAccessFacts, ports: Ports) => VersionedAccessFacts) =>
  (ports: Ports): Partial<Ports> => ({
    accessFacts: {
      ...ports.accessFacts,
      read: async (question) => lie(await ports.accessFacts.read(question), ports),
      async authenticate(question) {
        const found = await ports.accessFacts.authenticate(question);
        return found && { ...found, facts: found.facts && lie(found.facts, ports) };
      },
    },
  });

/** Ports that authenticate every caller with a changed key. */
const keys =
  (
    lie: (key: CallingKey) => CallingKey,
    ask = (question: AuthenticationQuestion): AuthenticationQuestion => question,
  ) =>
  ({ accessFacts }: Ports): Partial<Ports> => ({
    accessFacts: {
      ...accessFacts,
      async authenticate(question) {
        const found = await accessFacts.authenticate(ask(question));
        return found && { ...found, key: lie(found.key) };
      },
    },
  });

/** Ports that change what every token of an authorization server grants. */
const tokens =
  (lie: (token: AccessToken) => AccessToken) =>
  ({ accessTokens }: Ports): Partial<Ports> => ({
    accessTokens: accessTokens && {
      async verify(...given) {
        const token = await accessTokens.verify(...given);
        return token && lie(token);
      },
    },
  });

/** Authenticates a key as usual, but takes the access facts from `read`. */
export const authenticateBy =
  (
    read: AccessFactsReader['read'],
    { authenticate }: AccessFactsReader,
  ): AccessFactsReader['authenticate'] =>
  async ({ companyId, ...question }) => {
    const found = await authenticate({ ...question, companyId: null });
    if (found === null || companyId === null) return found;
    return { ...found, facts: await read({ keyId: found.key.id, companyId }) };
  };

export const newest = (
  facts: VersionedAccessFacts,
  lie: Partial<NonNullable<VersionedAccessFacts['newestRequest']>>,
): VersionedAccessFacts => ({
  ...facts,
  newestRequest: facts.newestRequest && { ...facts.newestRequest, ...lie },
});

/** Bases access decisions on the request that `find` returns, instead of on the newest one. */
const requestsOf =
  (find: (all: readonly AccessRequest[], investorId: string) => AccessRequest | undefined) =>
  ({ accessFacts, apiKeys, accessRequests }: Ports): Partial<Ports> => {
    async function read(question: AccessQuestion) {
      const facts = await accessFacts.read(question);
      const key = await apiKeys.find(question.keyId);
      const { companyId } = question;
      const all = await accessRequests.list({ companyId, now: new Date(), limit: 1_000 });
      const found = find(all, key?.investorId ?? '');
      return found === undefined
        ? facts
        : { ...facts, newestRequest: { ...found, declinedAt: null } };
    }
    return {
      accessFacts: { ...accessFacts, read, authenticate: authenticateBy(read, accessFacts) },
    };
  };

async function listed(directory: Directory, ids: readonly string[]): Promise<ListedEntry[]> {
  const companies = await Promise.all(ids.map((id) => directory.findCompany(id)));
  return companies.flatMap((company) =>
    company === null ? [] : [{ company, newestRequest: null, addedAt: company.createdAt }],
  );
}

const inIt = (caller: InvestorCaller, protocol: Protocol): InvestorCaller =>
  caller.protocol === protocol ? { ...caller, scopes: allScopes } : caller;

const everyScopeIn =
  (protocol: Protocol) =>
  (useCases: InvestorUseCases): InvestorUseCases => ({
    ...useCases,
    listPortfolio: (caller, input) => useCases.listPortfolio(inIt(caller, protocol), input),
    pagePortfolio: (caller, input) => useCases.pagePortfolio(inIt(caller, protocol), input),
  });

export const brokenPolicies: Readonly<Record<string, BrokenPolicy>> = {
  'ignores the end of a grant': {
    world: 5,
    replace: accessFacts((facts) => newest(facts, { deadlineAt: neverYet })),
    explanation: /because .*the request or its grant has expired/,
  },
  'ends a grant a millisecond too late': {
    world: 5,
    replace: accessFacts((facts) => {
      const { deadlineAt } = facts.newestRequest ?? { deadlineAt: neverYet };
      return newest(facts, { deadlineAt: new Date(deadlineAt.getTime() + 1) });
    }),
    explanation: /because .*the request or its grant has expired/,
  },
  'treats the approval of some scopes as an approval of all scopes': {
    world: 2,
    replace: accessFacts((facts) => newest(facts, { approvedScopes: grantable })),
    explanation: /because .*the company has not approved/,
  },
  'treats a pending request as a grant': {
    replace: accessFacts((facts) =>
      facts.newestRequest?.status === 'pending'
        ? newest(facts, { status: 'approved', approvedScopes: grantable })
        : facts,
    ),
    explanation: /because .*the company has not answered/,
  },
  'allows reads after a grant is revoked': {
    replace: accessFacts((facts) =>
      facts.newestRequest?.status === 'revoked' ? newest(facts, { status: 'approved' }) : facts,
    ),
    explanation: /because .*the company has revoked its grant/,
  },
  'ignores the portfolio': {
    replace: accessFacts((facts) => ({ ...facts, isInPortfolio: true })),
    explanation: /because .*the company is not in the portfolio/,
  },
  'lists a company that has left the portfolio': {
    world: 6,
    replace({ directory }) {
      const removed = new Map<string, string[]>();
      return {
        directory: {
          ...directory,
          async removeFromPortfolio(investorId, companyId, change) {
            removed.set(investorId, [...(removed.get(investorId) ?? []), companyId]);
            return directory.removeFromPortfolio(investorId, companyId, change);
          },
          async readPortfolio(investorId) {
            const entries = await directory.readPortfolio(investorId);
            const gone = (removed.get(investorId) ?? []).filter(
              (id) => !entries.some(({ company }) => company.id === id),
            );
            const companies = await Promise.all(gone.map((id) => directory.findCompany(id)));
            const left = companies.flatMap((company) =>
              company === null ? [] : [{ company, newestRequest: null }],
            );
            return [...entries, ...left];
          },
          async pagePortfolio(part) {
            const ids = removed.get(part.investorId) ?? [];
            return [...(await directory.pagePortfolio(part)), ...(await listed(directory, ids))];
          },
        },
      };
    },
    explanation: /because .*this is the portfolio/,
  },
  'finds companies of other portfolios by their ids': {
    replace: ({ directory }) => ({
      directory: {
        ...directory,
        async pagePortfolio(part) {
          const page = await directory.pagePortfolio(part);
          const own = page.map(({ company }) => company.id);
          const others = (part.ids ?? []).filter((id) => !own.includes(id));
          return [...page, ...(await listed(directory, others))];
        },
      },
    }),
    explanation: /^GraphQL: the companies by their ids[\s\S]*because .*this is the portfolio/,
  },
  'ignores environments': {
    replace: ({ directory }) => ({
      directory: {
        ...directory,
        async readPortfolio(investorId) {
          const entries = await directory.readPortfolio(investorId);
          const investor = await directory.findInvestor(investorId);
          const all = await directory.listCompanies();
          const foreign = all.filter(({ environment }) => environment !== investor?.environment);
          return [...entries, ...foreign.map((company) => ({ company, newestRequest: null }))];
        },
        async pagePortfolio(part) {
          const investor = await directory.findInvestor(part.investorId);
          const all = await directory.listCompanies();
          const foreign = all.filter(({ environment }) => environment !== investor?.environment);
          const ids = foreign.map(({ id }) => id);
          return [...(await directory.pagePortfolio(part)), ...(await listed(directory, ids))];
        },
      },
    }),
    explanation: /because .*this is the portfolio/,
  },
  'accepts a key with the prefix of the other environment': {
    replace: ({ cryptography }) => ({
      cryptography: {
        ...cryptography,
        sha256: (text) => cryptography.sha256(text.replace(/^svc_sk_test_/, 'svc_sk_live_')),
      },
    }),
    explanation: /because .*the key has ended/,
  },
  'accepts a revoked key': {
    replace: ({ apiKeys }) => ({
      apiKeys: {
        ...apiKeys,
        transact: (id, credential, work) =>
          apiKeys.transact(id, credential, (own) => work({ ...own, revoke: async () => true })),
      },
    }),
    explanation: /because .*the key has ended/,
  },
  'ignores the expiry of a key': {
    world: 2,
    replace: keys(
      (key) => ({ ...key, expiresAt: null }),
      (question) => ({ ...question, now: new Date(0) }),
    ),
    explanation: /because .*the key has ended/,
  },
  'gives a token all scopes': {
    replace: tokens((token) => ({ ...token, scopes: allScopes })),
    explanation: /because .*the key lacks/,
  },
  'ignores the expiry of a token': {
    world: 13,
    replace: tokens((token) => ({ ...token, expiresAt: neverYet })),
    explanation: /because .*the key has ended/,
  },
  'ignores that a key is revoked after its caller was admitted': {
    replace: accessFacts((facts) => ({
      ...facts,
      key: facts.key && { ...facts.key, revokedAt: null },
    })),
    explanation: /because .*the key has ended/,
  },
  'ignores the scopes of a key when it decides on a read': {
    replace: accessFacts((facts) => ({
      ...facts,
      key: facts.key && { ...facts.key, scopes: allScopes },
    })),
    explanation: /because .*the key lacks (metrics|sources|accounts):read/,
  },
  'ignores the scopes of a key when it lists companies': {
    replace: keys((key) => ({ ...key, scopes: allScopes })),
    explanation: /because .*the key lacks companies:read/,
  },
  'ignores the scopes of a key only in GraphQL': {
    interpose: everyScopeIn('graphql'),
    explanation: /^GraphQL: [\s\S]*because .*the key lacks companies:read/,
  },
  'ignores the scopes of a key only in tRPC': {
    interpose: everyScopeIn('trpc'),
    explanation: /^tRPC: [\s\S]*because .*the key lacks companies:read/,
  },
  'ignores the scopes of a key only in MCP': {
    interpose: everyScopeIn('mcp'),
    explanation: /^MCP: [\s\S]*because .*the key lacks companies:read/,
  },
  'reveals to a key without the scope that a company isn’t in the portfolio': {
    replace: accessFacts((facts) => ({
      ...facts,
      key: facts.isInPortfolio ? facts.key : facts.key && { ...facts.key, scopes: allScopes },
    })),
    explanation: /must be: insufficient_scope[\s\S]*but is: company_not_found/,
  },
  'reveals that a company outside the portfolio exists': {
    replace: accessFacts((facts) =>
      facts.isInPortfolio ? facts : { ...facts, isInPortfolio: true, newestRequest: null },
    ),
    explanation: /must be: (?:company_not_found|null)[\s\S]*but is: access_required/,
  },
  'lists the requests of all investors': {
    replace: ({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        list: ({ now, limit }) => accessRequests.list({ now, limit }),
      },
    }),
    explanation: /because .*these are the requests of the investor/,
  },
  'shows a request to every caller that knows the request’s id': {
    interpose: (useCases, { accessRequests }) => ({
      ...useCases,
      async readAccessRequest(caller, input) {
        const request = await accessRequests.find(input.id);
        return useCases.readAccessRequest(
          { ...caller, investorId: request?.investorId ?? caller.investorId },
          input,
        );
      },
    }),
    explanation: /because .*the request isn’t the investor’s/,
  },
  'lets an investor read with another investor’s grant': {
    world: 1,
    replace: requestsOf((all) => all.find(({ status }) => status === 'approved')),
    explanation: /because .*(nothing was asked|the company has)/,
  },
  'uses an older grant although there is a newer request': {
    world: 16,
    replace: requestsOf((all, investorId) => {
      const own = all.filter((request) => request.investorId === investorId);
      const older = own.slice(1).find(({ approvedScopes }) => approvedScopes.length > 0);
      return older && { ...older, status: 'approved' };
    }),
    explanation: /because .*the company has (not answered|declined)/,
  },
  'reuses an earlier decision for later reads': {
    replace({ accessFacts }) {
      const remembered = new Map<string, Promise<VersionedAccessFacts>>();
      function read(question: AccessQuestion) {
        const name = `${question.keyId} ${question.companyId}`;
        const known = remembered.get(name) ?? accessFacts.read(question);
        remembered.set(name, known);
        return known;
      }
      return {
        accessFacts: { ...accessFacts, read, authenticate: authenticateBy(read, accessFacts) },
      };
    },
    explanation: /must be: .*\nbecause .*\nbut is: /,
  },
  'caches data without its version': {
    replace({ companyData }) {
      const memory = cacheCompanyData(companyData, new DataCache(1_000_000));
      const ever = (company: VersionedCompany) => ({ ...company, dataVersion: 'any' });
      return {
        companyData: {
          ...memory,
          latestMetrics: (company) => memory.latestMetrics(ever(company)),
          metricHistory: (company, ...rest) => memory.metricHistory(ever(company), ...rest),
          metricHistories: (company, ...rest) => memory.metricHistories(ever(company), ...rest),
          recentValues: (company, ...rest) => memory.recentValues(ever(company), ...rest),
          metricRevisions: (company, ...rest) => memory.metricRevisions(ever(company), ...rest),
          sources: (company) => memory.sources(ever(company)),
          accounts: (company) => memory.accounts(ever(company)),
        },
      };
    },
    explanation: /because .*(?:the company has granted it|it is the company’s own)/,
  },
  'caches data without its company': {
    world: 1,
    replace({ companyData }) {
      let last: ReturnType<typeof companyData.accounts> | undefined;
      return {
        companyData: {
          ...companyData,
          accounts(company) {
            last ??= companyData.accounts(company);
            return last;
          },
        },
      };
    },
    explanation: /because .*(?:the company has granted it|it is the company’s own)/,
  },
  'caches revisions without their company': {
    replace({ companyData }) {
      let last: ReturnType<typeof companyData.metricRevisions> | undefined;
      return {
        companyData: {
          ...companyData,
          metricRevisions(...question) {
            last ??= companyData.metricRevisions(...question);
            return last;
          },
        },
      };
    },
    // The signature check may fail before the comparison, so there are two possible messages.
    explanation:
      /^Expected values to be strictly deep-equal:[\s\S]*company_id: |^GraphQL: the revisions of a metric of [\s\S]*because .*granted it/,
  },
  'caches several histories without their company': {
    world: 1,
    replace({ companyData }) {
      let last: ReturnType<typeof companyData.metricHistories> | undefined;
      return {
        companyData: {
          ...companyData,
          metricHistories(...question) {
            last ??= companyData.metricHistories(...question);
            return last;
          },
        },
      };
    },
    explanation: /^GraphQL: the histories of two metrics of [\s\S]*because .*granted it/,
  },
  'reads several histories without an access check': {
    interpose: (useCases, { companyData, settings }) => ({
      ...useCases,
      async readMetricHistories(caller, { companyId, keys }) {
        const { environment } = caller;
        const publicKeyUrl = settings.publicKeyUrl();
        const at = { companyId, dataVersion: '0', environment, publicKeyUrl, terms: null };
        const all = { from: null, to: null };
        return readingOf((await companyData.metricHistories(at, keys, all)) as never);
      },
    }),
    explanation: /^GraphQL: the histories of two metrics of /,
  },
  'reads the figures of several companies without an access check': {
    interpose: (useCases, { companyData, settings }) => ({
      ...useCases,
      async readPortfolioFigures({ environment }, { companyIds, keys, values }) {
        const publicKeyUrl = settings.publicKeyUrl();
        const asked = keys ?? [];
        const read = companyIds.map(async (companyId) => {
          const at = { companyId, dataVersion: '0', environment, publicKeyUrl, terms: null };
          const latest = await companyData.latestMetrics(at);
          const histories = await companyData.recentValues(at, asked, values);
          return [companyId, { latest, histories }] as const;
        });
        const companies = new Map(await Promise.all(read));
        const order = [...companies.keys()];
        return { metrics: [], keys: asked, order, companies, refusals: new Map() };
      },
    }),
    explanation: /^the use case: the figures of several companies/,
  },
  'caches the newest values without their company': {
    world: 3,
    replace({ companyData }) {
      let last: ReturnType<typeof companyData.recentValues> | undefined;
      return {
        companyData: {
          ...companyData,
          recentValues(...question) {
            last ??= companyData.recentValues(...question);
            return last;
          },
        },
      };
    },
    explanation: /^the use case: the figures of several companies/,
  },
  'finds a company’s source by its id without an access check': {
    interpose: (useCases, { companyData }) => ({
      ...useCases,
      async readSources(caller, input, ...rest) {
        if (!('protocol' in caller) || caller.protocol !== 'graphql')
          return useCases.readSources(caller, input, ...rest);
        const { companyId } = input;
        const at = {
          companyId,
          dataVersion: '0',
          environment: 'live',
          publicKeyUrl: '',
          terms: null,
        } as const;
        return useCases.readSources(caller, input, ...rest).catch(async (error: unknown) => {
          if (error instanceof AccessError && error.code === 'company_not_found')
            return readingOf((await companyData.sources(at)) as never);
          throw error;
        });
      },
    }),
    explanation:
      /^GraphQL: (a source of .* by its id[\s\S]*must be: null|the sources of [\s\S]*must be: company_not_found)/,
  },
  'shows a request to every caller that fetches it by its id in GraphQL': {
    interpose: (useCases, { accessRequests }) => ({
      ...useCases,
      async readAccessRequest(caller, input) {
        try {
          return await useCases.readAccessRequest(caller, input);
        } catch (error) {
          const found = caller.protocol === 'graphql' ? await accessRequests.find(input.id) : null;
          if (found === null) throw error;
          return found;
        }
      },
    }),
    explanation: /^GraphQL: the request ar_\w+( by its id)?,/,
  },
  'reveals the company’s name in a refusal': {
    interpose: (useCases, { directory }) => ({
      ...useCases,
      async readSources(caller, input) {
        try {
          return await useCases.readSources(caller, input);
        } catch (error) {
          if (!(error instanceof AccessError)) throw error;
          const name = (await directory.findCompany(input.companyId))?.name;
          throw new AccessError(error.code, { message: `Not for you: ${name}.` });
        }
      },
    }),
    explanation: /but the answer holds Q/,
  },
};

/** Their fault is visible only if data changes between two reads. */
export const dataBreakages: Readonly<Record<string, BrokenPolicy>> = {
  'caches revisions without the version of their data': {
    world: 32,
    replace({ companyData }) {
      const remembered = new Map<string, ReturnType<typeof companyData.metricRevisions>>();
      return {
        companyData: {
          ...companyData,
          metricRevisions: (company, ...rest) =>
            remembered.getOrInsertComputed(JSON.stringify([company.companyId, ...rest]), () =>
              companyData.metricRevisions(company, ...rest),
            ),
        },
      };
    },
    explanation: /^GraphQL: the revisions of a metric of [\s\S]*because .*granted it/,
  },
};
