import type { InvestorUseCases } from '#core';

/** The call of a use case in one protocol. */
interface Asks {
  /** Method and path below `/v1`, as in the OpenAPI document. */
  readonly rest: string;
  /** A document. Queries of a company or a request use `$company` and `$request`. */
  readonly graphql: string;
  readonly trpc: string;
  /** The name of a tool. */
  readonly mcp: string;
}

type Protocol = keyof Asks;

/** The reason why a protocol doesn't have the use case. */
type Place = { readonly [P in Protocol]: Asks[P] | { readonly because: string } };

const ofCompany = (fields: string) =>
  `query ($company: ID!) { company(id: $company) { ${fields} } }`;
const ofRequest = (fields: string) =>
  `query ($request: ID!) { accessRequest(id: $request) { ${fields} } }`;

const byPeople = { because: 'it is for the people of the investor, at the desk' };
const atTheDesk = { rest: byPeople, graphql: byPeople, trpc: byPeople, mcp: byPeople };
const ofPortfolioPage = {
  because: 'the page of the portfolio alone shows the figures of many companies',
};
const ofGateway = { because: 'the gateway does it before any adapter is asked' };

const noSecrets = {
  graphql: { because: 'keys and webhooks are managed by a service, which keeps their secrets' },
  mcp: { because: 'an agent is not shown secrets, and changes no keys and webhooks' },
} as const;

/**
 * All use cases of a caller, in each protocol. A new use case needs an entry here, and so does each endpoint,
 * field and procedure.
 */
export const places: Readonly<Record<keyof InvestorUseCases, Place>> = {
  admitCaller: { rest: ofGateway, graphql: ofGateway, trpc: ofGateway, mcp: ofGateway },
  chargeCaller: { rest: ofGateway, graphql: ofGateway, trpc: ofGateway, mcp: ofGateway },
  listOwnContacts: atTheDesk,
  addOwnContact: atTheDesk,
  changeOwnContactRole: atTheDesk,
  removeOwnContact: atTheDesk,
  readOwnMailSettings: atTheDesk,
  saveOwnMailSettings: atTheDesk,
  listOwnRequests: atTheDesk,
  readOwnRequest: atTheDesk,
  readOwnChain: atTheDesk,
  walkOwnRecords: atTheDesk,
  readOwnUsage: atTheDesk,
  listOwnKeys: atTheDesk,
  createOwnKey: atTheDesk,
  revokeOwnKey: atTheDesk,
  rotateOwnKey: atTheDesk,
  replayWebhook: {
    rest: 'POST /webhook-endpoints/{id}/deliveries/{event_id}/replay',
    trpc: 'mutation webhookEndpoints.replay',
    ...noSecrets,
  },
  listPortfolio: {
    rest: 'GET /companies',
    graphql: { because: 'a dashboard reads pages' },
    trpc: 'query companies.list',
    mcp: { because: 'an agent reads pages' },
  },
  pagePortfolio: {
    rest: { because: 'the contract lists all companies at once' },
    graphql: '{ companies { __typename } }',
    trpc: { because: 'a service reads all companies at once' },
    mcp: 'list_companies',
  },
  readPortfolioCompany: {
    rest: 'GET /companies/{id}',
    graphql: ofCompany('id'),
    trpc: 'query companies.get',
    mcp: 'get_company',
  },
  listOwnSettingsChanges: atTheDesk,
  readLatestMetrics: {
    rest: 'GET /companies/{id}/metrics',
    graphql: ofCompany('metrics { __typename }'),
    trpc: 'query metrics.latest',
    mcp: 'read_metrics',
  },
  readLatestMetric: {
    rest: 'GET /companies/{id}/metrics/{key}',
    graphql: ofCompany('metric(key: "cash_balance") { __typename }'),
    trpc: 'query metrics.byKey',
    mcp: 'read_metric',
  },
  readMetricHistory: {
    rest: 'GET /companies/{id}/metrics/{key}/history',
    graphql: ofCompany('metric(key: "cash_balance") { ... on Metric { history { __typename } } }'),
    trpc: 'query metrics.history',
    mcp: 'read_metric_history',
  },
  readPortfolioOverview: {
    ...{ rest: ofPortfolioPage, graphql: ofPortfolioPage, trpc: ofPortfolioPage },
    mcp: ofPortfolioPage,
  },
  readPortfolioFigures: {
    ...{ rest: ofPortfolioPage, graphql: ofPortfolioPage, trpc: ofPortfolioPage },
    mcp: ofPortfolioPage,
  },
  readMetricHistories: {
    rest: { because: 'a service asks for one history at a time' },
    graphql: ofCompany('metricHistories(keys: ["cash_balance", "headcount"]) { __typename }'),
    trpc: { because: 'a service asks for one history at a time' },
    mcp: { because: 'an agent asks for one history at a time' },
  },
  walkMetricHistories: {
    rest: 'GET /metric-history',
    graphql: { because: 'a document asks each company of a page' },
    trpc: { because: 'a batch asks several companies' },
    mcp: { because: 'an agent asks one company at a time' },
  },
  readMetricRevisions: {
    rest: { because: 'a history of the contract has one value for each period' },
    graphql: ofCompany(
      'metric(key: "cash_balance") { ... on Metric { revisions { __typename } } }',
    ),
    trpc: { because: 'what was corrected is looked at by people, at a dashboard' },
    mcp: { because: 'what was corrected is looked at by people, at a dashboard' },
  },
  readSources: {
    rest: 'GET /companies/{id}/sources',
    graphql: ofCompany('sources { __typename }'),
    trpc: 'query sources.list',
    mcp: 'list_sources',
  },
  readAccounts: {
    rest: 'GET /companies/{id}/accounts',
    graphql: ofCompany('accounts { __typename }'),
    trpc: 'query accounts.list',
    mcp: 'list_accounts',
  },
  readReports: {
    rest: 'GET /reports',
    graphql: { because: 'they are announced in the contract alone' },
    trpc: { because: 'they are announced in the contract alone' },
    mcp: { because: 'they are announced in the contract alone' },
  },
  requestAccess: {
    rest: 'POST /access-requests',
    graphql:
      'mutation ($company: ID!) { requestAccess(input: { companyId: $company, scopes: [METRICS_READ] }) { __typename } }',
    trpc: 'mutation accessRequests.create',
    mcp: 'request_access',
  },
  walkAccessRequests: {
    rest: 'GET /access-requests',
    graphql: { because: 'a dashboard reads pages' },
    trpc: { because: 'a service reads pages' },
    mcp: { because: 'an agent reads pages' },
  },
  pageAccessRequests: {
    rest: { because: 'the contract lists all requests at once' },
    graphql: '{ accessRequests { nodes { __typename } } }',
    trpc: { because: 'a service goes from page to page, in one direction' },
    mcp: { because: 'an agent goes from page to page, in one direction' },
  },
  listAccessRequests: {
    rest: { because: 'the contract lists all requests at once' },
    graphql: { because: 'a dashboard reads pages in both directions' },
    trpc: 'query accessRequests.list',
    mcp: 'list_access_requests',
  },
  readAccessRequest: {
    rest: 'GET /access-requests/{id}',
    graphql: ofRequest('id'),
    trpc: 'query accessRequests.get',
    mcp: 'get_access_request',
  },
  readAccessRequestHistory: {
    rest: { because: 'the feed of events tells it' },
    graphql: ofRequest('history { __typename }'),
    trpc: 'query accessRequests.history',
    mcp: 'get_access_request_history',
  },
  readReceipts: {
    rest: 'GET /access-requests/{id}/receipts',
    graphql: ofRequest('receipts { id }'),
    trpc: 'query accessRequests.receipts',
    mcp: 'list_consent_receipts',
  },
  readReceiptsHead: {
    rest: { because: 'the list of receipts ends with it' },
    graphql: ofRequest('receiptsHead'),
    trpc: 'query accessRequests.receiptsHead',
    mcp: { because: 'the list of receipts ends with it' },
  },
  amendAccessRequest: {
    rest: 'PATCH /access-requests/{id}',
    graphql:
      'mutation ($request: ID!) { amendAccessRequest(input: { id: $request, scopes: [METRICS_READ] }) { __typename } }',
    trpc: 'mutation accessRequests.amend',
    mcp: 'amend_access_request',
  },
  withdrawAccessRequest: {
    rest: 'DELETE /access-requests/{id}',
    graphql:
      'mutation ($request: ID!) { withdrawAccessRequest(input: { id: $request }) { __typename } }',
    trpc: 'mutation accessRequests.withdraw',
    mcp: 'withdraw_access_request',
  },
  readInvestorEvents: {
    rest: 'GET /events',
    graphql: { because: 'its subscription goes on after any event' },
    trpc: { because: 'its subscription goes on after any event' },
    mcp: { because: 'an agent asks what became of a request when it comes back' },
  },
  watchInvestorEvents: {
    rest: 'STREAM /events',
    graphql: { because: 'each kind of event has a subscription of its own' },
    trpc: { because: 'each kind of event has a subscription of its own' },
    mcp: { because: 'an agent waits for one decision, and reads no feed' },
  },
  watchAccessRequests: {
    rest: { because: 'its stream has all events, or those of some types' },
    graphql: 'subscription { accessRequestChanged { __typename } }',
    trpc: 'subscription accessRequests.onChange',
    mcp: { because: 'an agent waits for one decision, and reads no feed' },
  },
  watchCompanyData: {
    rest: { because: 'its stream has all events, or those of some types' },
    graphql: 'subscription { companyDataChanged { __typename } }',
    trpc: 'subscription companies.onDataChange',
    mcp: { because: 'an agent reads the data when it needs it' },
  },
  waitForDecision: {
    rest: { because: 'who waits listens to the events' },
    graphql: { because: 'who waits subscribes' },
    trpc: { because: 'the client waits, over its subscription' },
    mcp: 'wait_for_decision',
  },
  listAccessRecords: {
    rest: { because: 'its list has names, and goes from page to page in one direction' },
    graphql: '{ accessRecords { __typename } }',
    trpc: { because: 'its list has names, and goes from page to page in one direction' },
    mcp: { because: 'its list has names, and goes from page to page in one direction' },
  },
  readInvestor: {
    rest: { because: 'the contract has no resource for the caller itself' },
    graphql: '{ viewer { investor { id } } }',
    trpc: { because: 'a service knows whose key it has' },
    mcp: { because: 'a host knows whose key it has' },
  },
  listOwnRecords: {
    rest: 'GET /access-records',
    graphql: { because: 'its list has the same records in both directions' },
    trpc: 'query accessRecords.list',
    mcp: 'list_access_records',
  },
  readCallingKey: {
    rest: 'GET /api-key',
    graphql: '{ apiKey { id } }',
    trpc: 'query apiKey.get',
    mcp: { because: 'a host knows whose key it has' },
  },
  rotateCallingKey: {
    rest: 'POST /api-key/rotate',
    trpc: 'mutation apiKey.rotate',
    ...noSecrets,
  },
  listWebhookEndpoints: {
    rest: 'GET /webhook-endpoints',
    trpc: 'query webhookEndpoints.list',
    ...noSecrets,
  },
  createWebhookEndpoint: {
    rest: 'POST /webhook-endpoints',
    trpc: 'mutation webhookEndpoints.create',
    ...noSecrets,
  },
  readWebhookEndpoint: {
    rest: 'GET /webhook-endpoints/{id}',
    trpc: 'query webhookEndpoints.get',
    ...noSecrets,
  },
  changeWebhookEndpoint: {
    rest: 'PATCH /webhook-endpoints/{id}',
    trpc: 'mutation webhookEndpoints.update',
    ...noSecrets,
  },
  removeWebhookEndpoint: {
    rest: 'DELETE /webhook-endpoints/{id}',
    trpc: 'mutation webhookEndpoints.remove',
    ...noSecrets,
  },
  enableWebhookEndpoint: {
    rest: 'POST /webhook-endpoints/{id}/enable',
    trpc: 'mutation webhookEndpoints.enable',
    ...noSecrets,
  },
  rotateWebhookEndpoint: {
    rest: 'POST /webhook-endpoints/{id}/rotate-secret',
    trpc: 'mutation webhookEndpoints.rotateSecret',
    ...noSecrets,
  },
  testWebhookEndpoint: {
    rest: 'POST /webhook-endpoints/{id}/test',
    trpc: 'mutation webhookEndpoints.test',
    ...noSecrets,
  },
  listWebhookDeliveries: {
    rest: 'GET /webhook-endpoints/{id}/deliveries',
    trpc: 'query webhookEndpoints.deliveries',
    ...noSecrets,
  },
};
