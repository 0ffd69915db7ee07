import {
  AccessError,
  type AccessRequest,
  type CallerUseCases,
  type CallingKey,
  type CompanyAt,
  type Ports,
  type Protocol,
  type StandingQuestion,
  type StandingReader,
  type VersionedStanding,
} from '#core';
import { rememberCompanyData } from '../../gateway/company-data-memory.ts';
import { allScopes, grantable } from '../support/contract.ts';
import type { Breakage } from './stage.ts';

/** A policy with one hole in it, and how the property must explain what it saw. */
interface BrokenPolicy extends Breakage {
  readonly explanation: RegExp;
}

const neverYet = new Date('9999-12-31T00:00:00Z');

/** Every decision rests on something that is not so. */
const standings =
  (lie: (standing: VersionedStanding, ports: Ports) => VersionedStanding) =>
  (ports: Ports): Partial<Ports> => ({
    standings: {
      read: async (question) => lie(await ports.standings.read(question), ports),
      async meet(introduction) {
        const met = await ports.standings.meet(introduction);
        return met && { ...met, standing: met.standing && lie(met.standing, ports) };
      },
    },
  });

/** Every caller is let in with a key that is not so. */
const keys =
  (lie: (key: CallingKey) => CallingKey) =>
  ({ standings }: Ports): Partial<Ports> => ({
    standings: {
      ...standings,
      async meet(introduction) {
        const met = await standings.meet(introduction);
        return met && { ...met, key: lie(met.key) };
      },
    },
  });

/** Answers a key that shows itself with what `read` says of it. */
const meetBy =
  (read: StandingReader['read'], { meet }: StandingReader): StandingReader['meet'] =>
  async ({ digest, companyId }) => {
    const met = await meet({ digest, companyId: null });
    if (met === null || companyId === null) return met;
    return { ...met, standing: await read({ keyId: met.key.id, companyId }) };
  };

const newest = (
  standing: VersionedStanding,
  lie: Partial<NonNullable<VersionedStanding['newestRequest']>>,
): VersionedStanding => ({
  ...standing,
  newestRequest: standing.newestRequest && { ...standing.newestRequest, ...lie },
});

/** Another request than the newest of the investor decides, if one is found. */
const requestsOf =
  (find: (all: readonly AccessRequest[], investorId: string) => AccessRequest | undefined) =>
  ({ standings, apiKeys, accessRequests }: Ports): Partial<Ports> => {
    async function read(question: StandingQuestion) {
      const standing = await standings.read(question);
      const key = await apiKeys.find(question.keyId);
      const all = await accessRequests.list({ companyId: question.companyId });
      const found = find(all, key?.investorId ?? '');
      return found === undefined ? standing : { ...standing, newestRequest: found };
    }
    return { standings: { read, meet: meetBy(read, standings) } };
  };

/** In one protocol alone a caller is taken for one with every scope. */
const everyScopeIn =
  (protocol: Protocol) =>
  (useCases: CallerUseCases): CallerUseCases => ({
    ...useCases,
    listPortfolio: (caller, input) =>
      useCases.listPortfolio(
        caller.protocol === protocol ? { ...caller, scopes: allScopes } : caller,
        input,
      ),
  });

export const brokenPolicies: Readonly<Record<string, BrokenPolicy>> = {
  'ignores the end of a grant': {
    replace: standings((standing) => newest(standing, { lapsesAt: neverYet })),
    explanation: /because .*the request or its grant has expired/,
  },
  'ends a grant a moment late': {
    replace: standings((standing) => {
      const { lapsesAt } = standing.newestRequest ?? { lapsesAt: neverYet };
      return newest(standing, { lapsesAt: new Date(lapsesAt.getTime() + 1) });
    }),
    explanation: /because .*the request or its grant has expired/,
  },
  'takes the approval of a part for one of everything': {
    replace: standings((standing) => newest(standing, { approvedScopes: grantable })),
    explanation: /because .*the company has not approved/,
  },
  'takes a request for a grant': {
    replace: standings((standing) =>
      standing.newestRequest?.status === 'pending'
        ? newest(standing, { status: 'approved', approvedScopes: grantable })
        : standing,
    ),
    explanation: /because .*the company has not answered/,
  },
  'goes on after a revocation': {
    replace: standings((standing) =>
      standing.newestRequest?.status === 'revoked'
        ? newest(standing, { status: 'approved' })
        : standing,
    ),
    explanation: /because .*the company has revoked its grant/,
  },
  'ignores the portfolio': {
    replace: standings((standing) => ({ ...standing, inPortfolio: true })),
    explanation: /because .*the company is not in the portfolio/,
  },
  'keeps a company in the list that has left the portfolio': {
    replace({ directory }) {
      const removed = new Map<string, string[]>();
      return {
        directory: {
          ...directory,
          async removeFromPortfolio(investorId, companyId) {
            removed.set(investorId, [...(removed.get(investorId) ?? []), companyId]);
            return directory.removeFromPortfolio(investorId, companyId);
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
        },
      };
    },
    explanation: /because .*this is the portfolio/,
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
      },
    }),
    explanation: /because .*this is the portfolio/,
  },
  'takes a key of the test environment for one of the live one': {
    replace: ({ cryptography }) => ({
      cryptography: {
        ...cryptography,
        sha256: (text) => cryptography.sha256(text.replace(/^svc_sk_test_/, 'svc_sk_live_')),
      },
    }),
    explanation: /because .*the key works no more/,
  },
  'lets a revoked key in': {
    replace: keys((key) => ({ ...key, revokedAt: null })),
    explanation: /because .*the key works no more/,
  },
  'ignores the end of a key': {
    replace: keys((key) => ({ ...key, expiresAt: null })),
    explanation: /because .*the key works no more/,
  },
  'ignores that a key is revoked once it was let in': {
    replace: standings((standing) => ({
      ...standing,
      key: standing.key && { ...standing.key, revokedAt: null },
    })),
    explanation: /because .*the key works no more/,
  },
  'ignores the scopes of a key at the gate': {
    replace: standings((standing) => ({
      ...standing,
      key: standing.key && { ...standing.key, scopes: allScopes },
    })),
    explanation: /because .*the key lacks (metrics|sources|accounts):read/,
  },
  'ignores the scopes of a key for the list of companies': {
    replace: keys((key) => ({ ...key, scopes: allScopes })),
    explanation: /because .*the key lacks companies:read/,
  },
  'ignores the scopes of a key in GraphQL alone': {
    interpose: everyScopeIn('graphql'),
    explanation: /^GraphQL: [\s\S]*because .*the key lacks companies:read/,
  },
  'ignores the scopes of a key in tRPC alone': {
    interpose: everyScopeIn('trpc'),
    explanation: /^tRPC: [\s\S]*because .*the key lacks companies:read/,
  },
  'tells a key without the scope whether a company is in the portfolio': {
    replace: standings((standing) => ({
      ...standing,
      key: standing.inPortfolio
        ? standing.key
        : standing.key && { ...standing.key, scopes: allScopes },
    })),
    explanation: /must be: insufficient_scope[\s\S]*but is: company_not_found/,
  },
  'tells that a company outside the portfolio exists': {
    replace: standings((standing) =>
      standing.inPortfolio ? standing : { ...standing, inPortfolio: true, newestRequest: null },
    ),
    explanation: /must be: company_not_found[\s\S]*but is: access_required/,
  },
  'lists the requests of all investors': {
    replace: ({ accessRequests }) => ({
      accessRequests: { ...accessRequests, list: () => accessRequests.list({}) },
    }),
    explanation: /because .*these are the requests of the investor/,
  },
  'shows a request to whoever knows its id': {
    interpose: (useCases, { accessRequests }) => ({
      ...useCases,
      async readAccessRequest(caller, id) {
        const request = await accessRequests.find(id);
        return useCases.readAccessRequest(
          { ...caller, investorId: request?.investorId ?? caller.investorId },
          id,
        );
      },
    }),
    explanation: /because .*it is no request of the investor/,
  },
  'lets an investor read by the grant of another': {
    replace: requestsOf((all) => all.find(({ status }) => status === 'approved')),
    explanation: /because .*(nothing was asked|the company has)/,
  },
  'goes by an older grant while a new request waits': {
    replace: requestsOf((all, investorId) => {
      const own = all.filter((request) => request.investorId === investorId);
      const older = own.slice(1).find(({ approvedScopes }) => approvedScopes.length > 0);
      return older && { ...older, status: 'approved' };
    }),
    explanation: /because .*the company has (not answered|declined)/,
  },
  'answers from an earlier decision': {
    replace({ standings }) {
      const remembered = new Map<string, Promise<VersionedStanding>>();
      function read(question: StandingQuestion) {
        const name = `${question.keyId} ${question.companyId}`;
        const known = remembered.get(name) ?? standings.read(question);
        remembered.set(name, known);
        return known;
      }
      return { standings: { read, meet: meetBy(read, standings) } };
    },
    explanation: /must be: .*\nbecause .*\nbut is: /,
  },
  'remembers data without its version': {
    replace({ companyData }) {
      const memory = rememberCompanyData(companyData, 1_000_000);
      const ever = (company: CompanyAt) => ({ ...company, dataVersion: 'any' });
      return {
        companyData: {
          latestMetrics: (company) => memory.latestMetrics(ever(company)),
          metricHistory: (company, ...rest) => memory.metricHistory(ever(company), ...rest),
          sources: (company) => memory.sources(ever(company)),
          accounts: (company) => memory.accounts(ever(company)),
        },
      };
    },
    explanation: /because .*the company has granted it/,
  },
  'remembers data without its company': {
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
    explanation: /because .*the company has granted it/,
  },
  'names the company in a refusal': {
    interpose: (useCases, { directory }) => ({
      ...useCases,
      async readSources(caller, companyId) {
        try {
          return await useCases.readSources(caller, companyId);
        } catch (error) {
          if (!(error instanceof AccessError)) throw error;
          const name = (await directory.findCompany(companyId))?.name;
          throw new AccessError(error.code, { message: `Not for you: ${name}.` });
        }
      },
    }),
    explanation: /but the answer holds Q/,
  },
};
