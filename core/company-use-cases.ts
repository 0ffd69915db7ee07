// What a company can do with its own key.
export { previewScope } from './company-data/preview-scope.ts';
export {
  approveRequest,
  declineRequest,
  extendRequest,
  revokeRequest,
} from './consent/company-decisions.ts';
export { listReceivedRecords } from './consent/list-access-records.ts';
export { listReceivedRequests, readReceivedRequest } from './consent/list-access-requests.ts';
export { listAskingInvestors } from './consent/overview/list-asking-investors.ts';
export { listEndingGrants } from './consent/overview/list-ending-grants.ts';
export {
  countReceivedRequests,
  listWaitingRequests,
} from './consent/overview/list-waiting-requests.ts';
export { readReceivedReceipts } from './consent/receipts/read-receipts.ts';
export { readAccessStatistics } from './consent/statistics/read-access-statistics.ts';
export { readGrantUsage } from './consent/statistics/read-grant-usage.ts';
export { walkReceivedRecords } from './consent/walk-access-records.ts';
export {
  createWebhookEndpoint,
  enableWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookEndpoints,
  readWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookEndpoint,
  testWebhookEndpoint,
} from './events/company-webhooks.ts';
export { readCompanyEvents } from './events/read-events.ts';
export { readReceivedRequestWithActors } from './events/read-request-with-actors.ts';
export { watchCompanyEvents } from './events/watch-events.ts';
export { admitCompany } from './identity/admit-caller.ts';
export {
  addOwnContact,
  listOwnContacts,
  removeOwnContact,
} from './identity/manage-own-contacts.ts';
export {
  createOwnKey,
  listOwnKeys,
  revokeOwnKey,
  rotateOwnKey,
} from './identity/manage-own-keys.ts';
