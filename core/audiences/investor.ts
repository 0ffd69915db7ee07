// What a caller with an API key can do, in any protocol.
import * as requests from '../use-cases/consent/list-access-requests.ts';
import * as receipts from '../use-cases/consent/read-receipts.ts';
import { readEvents } from '../use-cases/feed/read-events.ts';
import * as streams from '../use-cases/feed/watch-events.ts';
import * as webhooks from '../use-cases/webhooks/manage-webhooks.ts';
import * as deliveries from '../use-cases/webhooks/test-and-replay.ts';
import { ofInvestor } from './whose.ts';

export { pagePortfolio } from '../use-cases/company-data/page-portfolio.ts';
export {
  readAccounts,
  readLatestMetric,
  readLatestMetrics,
  readMetricHistories,
  readMetricHistory,
  readMetricRevisions,
  readReports,
  readSources,
} from '../use-cases/company-data/read-company-data.ts';
export { listPortfolio, readPortfolioCompany } from '../use-cases/company-data/read-portfolio.ts';
export { walkMetricHistories } from '../use-cases/company-data/walk-metric-histories.ts';
export {
  amendAccessRequest,
  withdrawAccessRequest,
} from '../use-cases/consent/change-own-request.ts';
export { pageAccessRequests } from '../use-cases/consent/page-access-requests.ts';
export { requestAccess } from '../use-cases/consent/request-access.ts';
export { walkAccessRequests } from '../use-cases/consent/walk-access-requests.ts';
export { waitForDecision } from '../use-cases/feed/wait-for-decision.ts';
export { admitCaller, chargeCaller } from '../use-cases/identity/admit-caller.ts';
export { readCallingKey, rotateCallingKey } from '../use-cases/identity/calling-key.ts';
export { readInvestor } from '../use-cases/identity/organisations.ts';
export { listAccessRecords } from '../use-cases/records/list-access-records.ts';
export { listOwnRecords } from '../use-cases/records/list-own-records.ts';

export const { listAccessRequests } = requests;
export const { watchAccessRequests, watchCompanyData, watchInvestorEvents } = streams;
export const readAccessRequest = ofInvestor(requests.readAccessRequest);
export const readAccessRequestHistory = ofInvestor(requests.readAccessRequestHistory);
export const readReceipts = ofInvestor(receipts.readReceipts);
export const readReceiptsHead = ofInvestor(receipts.readReceiptsHead);
export const readInvestorEvents = ofInvestor(readEvents);

const scope = 'webhooks:manage';
export const listWebhookEndpoints = ofInvestor(webhooks.listWebhookEndpoints, scope);
export const createWebhookEndpoint = ofInvestor(webhooks.createWebhookEndpoint, scope);
export const readWebhookEndpoint = ofInvestor(webhooks.readWebhookEndpoint, scope);
export const removeWebhookEndpoint = ofInvestor(webhooks.removeWebhookEndpoint, scope);
export const enableWebhookEndpoint = ofInvestor(webhooks.enableWebhookEndpoint, scope);
export const rotateWebhookEndpoint = ofInvestor(webhooks.rotateWebhookEndpoint, scope);
export const testWebhookEndpoint = ofInvestor(deliveries.testWebhookEndpoint, scope);
export const listWebhookDeliveries = ofInvestor(deliveries.listWebhookDeliveries, scope);
