import type { CallerUseCases } from '#core';

/** How one protocol is asked for a use case: what is sent in it. */
interface Asks {
  /** Method and path below `/v1`, as the OpenAPI document has it. */
  readonly rest: string;
  /** A document; what is asked of a company or a request is about `$company` and `$request`. */
  readonly graphql: string;
  readonly trpc: string;
}

type Protocol = keyof Asks;

/** A protocol that cannot do it says why not. */
type Place = { readonly [P in Protocol]: Asks[P] | { readonly because: string } };

const ofCompany = (fields: string) =>
  `query ($company: ID!) { company(id: $company) { ${fields} } }`;
const ofRequest = (fields: string) =>
  `query ($request: ID!) { accessRequest(id: $request) { ${fields} } }`;

const oneLedger = { because: 'who read what is looked up by people, at a dashboard' };
const ofGateway = { because: 'the gateway does it before any adapter is asked' };

/**
 * What a caller can do, in each protocol. Total: a use case that is new needs its place here, and so does each endpoint,
 * field and procedure.
 */
export const places: Readonly<Record<keyof CallerUseCases, Place>> = {
  admitCaller: { rest: ofGateway, graphql: ofGateway, trpc: ofGateway },
  chargeCaller: { rest: ofGateway, graphql: ofGateway, trpc: ofGateway },
  listPortfolio: {
    rest: 'GET /companies',
    graphql: '{ companies { __typename } }',
    trpc: 'query companies.list',
  },
  readPortfolioCompany: {
    rest: 'GET /companies/{id}',
    graphql: ofCompany('id'),
    trpc: 'query companies.get',
  },
  readLatestMetrics: {
    rest: 'GET /companies/{id}/metrics',
    graphql: ofCompany('metrics { __typename }'),
    trpc: 'query metrics.latest',
  },
  readLatestMetric: {
    rest: 'GET /companies/{id}/metrics/{key}',
    graphql: ofCompany('metric(key: "cash_balance") { __typename }'),
    trpc: 'query metrics.byKey',
  },
  readMetricHistory: {
    rest: 'GET /companies/{id}/metrics/{key}/history',
    graphql: ofCompany('metric(key: "cash_balance") { ... on Metric { history { __typename } } }'),
    trpc: 'query metrics.history',
  },
  readMetricRevisions: {
    rest: { because: 'a history of the contract has one value for each period' },
    graphql: ofCompany(
      'metric(key: "cash_balance") { ... on Metric { revisions { __typename } } }',
    ),
    trpc: { because: 'what was corrected is looked at by people, at a dashboard' },
  },
  readSources: {
    rest: 'GET /companies/{id}/sources',
    graphql: ofCompany('sources { __typename }'),
    trpc: 'query sources.list',
  },
  readAccounts: {
    rest: 'GET /companies/{id}/accounts',
    graphql: ofCompany('accounts { __typename }'),
    trpc: 'query accounts.list',
  },
  readReports: {
    rest: 'GET /reports',
    graphql: { because: 'they are announced in the contract alone' },
    trpc: { because: 'they are announced in the contract alone' },
  },
  requestAccess: {
    rest: 'POST /access-requests',
    graphql:
      'mutation ($company: ID!) { requestAccess(input: { companyId: $company, scopes: [METRICS_READ] }) { __typename } }',
    trpc: 'mutation accessRequests.create',
  },
  listAccessRequests: {
    rest: 'GET /access-requests',
    graphql: '{ accessRequests { __typename } }',
    trpc: 'query accessRequests.list',
  },
  readAccessRequest: {
    rest: 'GET /access-requests/{id}',
    graphql: ofRequest('id'),
    trpc: 'query accessRequests.get',
  },
  readAccessRequestHistory: {
    rest: { because: 'the feed of events tells it' },
    graphql: ofRequest('history { __typename }'),
    trpc: 'query accessRequests.history',
  },
  readReceipts: {
    rest: 'GET /access-requests/{id}/receipts',
    graphql: ofRequest('receipts { id }'),
    trpc: 'query accessRequests.receipts',
  },
  amendAccessRequest: {
    rest: 'PATCH /access-requests/{id}',
    graphql:
      'mutation ($request: ID!) { amendAccessRequest(input: { id: $request, scopes: [METRICS_READ] }) { __typename } }',
    trpc: 'mutation accessRequests.amend',
  },
  withdrawAccessRequest: {
    rest: 'DELETE /access-requests/{id}',
    graphql: 'mutation ($request: ID!) { withdrawAccessRequest(id: $request) { __typename } }',
    trpc: 'mutation accessRequests.withdraw',
  },
  readInvestorEvents: {
    rest: 'GET /events',
    graphql: { because: 'its subscription goes on after any event' },
    trpc: { because: 'its subscription goes on after any event' },
  },
  watchInvestorEvents: {
    rest: 'STREAM /events',
    graphql: 'subscription { accessRequestChanged { __typename } }',
    trpc: 'subscription accessRequests.onChange',
  },
  listAccessRecords: {
    rest: oneLedger,
    graphql: '{ accessRecords { __typename } }',
    trpc: oneLedger,
  },
  readInvestor: {
    rest: { because: 'the contract has no resource for the caller itself' },
    graphql: '{ viewer { investor { id } } }',
    trpc: { because: 'a service knows whose key it has' },
  },
};
