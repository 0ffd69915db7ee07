// What a caller with an API key can do, in any protocol.

export { pagePortfolio } from './company-data/page-portfolio.ts';
export {
  readAccounts,
  readLatestMetric,
  readLatestMetrics,
  readMetricHistories,
  readMetricHistory,
  readMetricRevisions,
  readReports,
  readSources,
} from './company-data/read-company-data.ts';
export { listPortfolio, readPortfolioCompany } from './company-data/read-portfolio.ts';
export { amendAccessRequest, withdrawAccessRequest } from './consent/change-own-request.ts';
export { listAccessRecords } from './consent/list-access-records.ts';
export {
  listAccessRequests,
  readAccessRequest,
  readAccessRequestHistory,
} from './consent/list-access-requests.ts';
export { pageAccessRequests } from './consent/page-access-requests.ts';
export { readReceipts, readReceiptsHead } from './consent/receipts/read-receipts.ts';
export { requestAccess } from './consent/request-access.ts';
export { waitForDecision } from './consent/wait-for-decision.ts';
export { walkAccessRequests } from './consent/walk-access-requests.ts';
export { readInvestorEvents } from './events/read-events.ts';
export { watchInvestorEvents } from './events/watch-events.ts';
export { admitCaller, chargeCaller } from './identity/admit-caller.ts';
export { readInvestor } from './identity/manage-investors.ts';
