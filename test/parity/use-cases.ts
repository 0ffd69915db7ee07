import type { InvestorUseCases } from '#core';

interface Asks {
  /** The method and the path below `/v1`, as in the OpenAPI document. */
  readonly rest: string;
  /** `$company` is a company's ID, and `$request` is an access request's ID. */
  readonly graphql: string;
  readonly trpc: string;
  /** The name of a tool. */
  readonly mcp: string;
}

type Protocol = keyof Asks;

/** Shows how each protocol calls a use case, or the reason why it can't. */
type Place = { readonly [P in Protocol]: Asks[P] | { readonly because: string } };

const ofCompany = (fields: string) =>
  `query ($company: ID!) { company(id: $company) { ${fields} } }`;
const ofRequest = (fields: string) =>
  `query ($request: ID!) { accessRequest(id: $request) { ${fields} } }`;

const nowhere = (because: string): Place => {
  const reason = { because };
  return { rest: reason, graphql: reason, trpc: reason, mcp: reason };
};

const atTheDesk = nowhere('people of the investor do this at the desk');
const onPortfolioPage = nowhere(
  'only the page of the portfolio shows the figures of many companies',
);
const inGateway = nowhere('the gateway does this before it calls an adapter');

/** Only services manage keys and webhooks, because the caller must store their secrets. */
const withSecrets = (rest: string, trpc: string): Place => ({
  rest,
  graphql: { because: 'a dashboard stores no secrets' },
  trpc,
  mcp: { because: 'an agent gets no secrets, and changes no keys and webhooks' },
});

/** A new use case needs an entry here, and so does each new endpoint, field and procedure. */
export const places: Readonly<Record<keyof InvestorUseCases, Place>> = {
  admitCaller: inGateway,
  chargeCaller: inGateway,
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
  readPortfolioOverview: onPortfolioPage,
  readPortfolioFigures: onPortfolioPage,
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
    trpc: { because: 'people look at corrections on a dashboard' },
    mcp: { because: 'people look at corrections on a dashboard' },
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
    graphql: { because: 'only the contract announces them' },
    trpc: { because: 'only the contract announces them' },
    mcp: { because: 'only the contract announces them' },
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
    rest: { because: 'the feed of events has it' },
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
    mcp: { because: 'an agent reads the request again when it needs it' },
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
    rest: { because: 'a service that waits reads the events' },
    graphql: { because: 'a dashboard that waits subscribes' },
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
  rotateCallingKey: withSecrets('POST /api-key/rotate', 'mutation apiKey.rotate'),
  listWebhookEndpoints: withSecrets('GET /webhook-endpoints', 'query webhookEndpoints.list'),
  createWebhookEndpoint: withSecrets('POST /webhook-endpoints', 'mutation webhookEndpoints.create'),
  readWebhookEndpoint: withSecrets('GET /webhook-endpoints/{id}', 'query webhookEndpoints.get'),
  changeWebhookEndpoint: withSecrets(
    'PATCH /webhook-endpoints/{id}',
    'mutation webhookEndpoints.update',
  ),
  removeWebhookEndpoint: withSecrets(
    'DELETE /webhook-endpoints/{id}',
    'mutation webhookEndpoints.remove',
  ),
  enableWebhookEndpoint: withSecrets(
    'POST /webhook-endpoints/{id}/enable',
    'mutation webhookEndpoints.enable',
  ),
  rotateWebhookEndpoint: withSecrets(
    'POST /webhook-endpoints/{id}/rotate-secret',
    'mutation webhookEndpoints.rotateSecret',
  ),
  testWebhookEndpoint: withSecrets(
    'POST /webhook-endpoints/{id}/test',
    'mutation webhookEndpoints.test',
  ),
  listWebhookDeliveries: withSecrets(
    'GET /webhook-endpoints/{id}/deliveries',
    'query webhookEndpoints.deliveries',
  ),
  replayWebhook: withSecrets(
    'POST /webhook-endpoints/{id}/deliveries/{event_id}/replay',
    'mutation webhookEndpoints.replay',
  ),
};
