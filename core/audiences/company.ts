// What a company can do with its own key.
export { previewScope } from '../use-cases/company-data/preview-scope.ts';
export {
  approveRequest,
  declineRequest,
  extendRequest,
  revokeRequest,
} from '../use-cases/consent/company-decisions.ts';
export {
  listReceivedRequests,
  readReceivedRequest,
} from '../use-cases/consent/list-access-requests.ts';
export { listAskingInvestors } from '../use-cases/consent/list-asking-investors.ts';
export { listEndingGrants } from '../use-cases/consent/list-ending-grants.ts';
export {
  countReceivedRequests,
  listWaitingRequests,
} from '../use-cases/consent/list-waiting-requests.ts';
export { readReceivedChain, readReceivedReceipts } from '../use-cases/consent/read-receipts.ts';
export { readCompanyEvents } from '../use-cases/feed/read-events.ts';
export { readReceivedRequestWithActors } from '../use-cases/feed/read-request-with-actors.ts';
export { watchCompanyEvents } from '../use-cases/feed/watch-events.ts';
export { admitCompany } from '../use-cases/identity/admit-caller.ts';
export {
  addOwnContact,
  listOwnContacts,
  removeOwnContact,
} from '../use-cases/identity/manage-own-contacts.ts';
export {
  createOwnKey,
  listOwnKeys,
  revokeOwnKey,
  rotateOwnKey,
} from '../use-cases/identity/manage-own-keys.ts';
export { listReceivedRecords } from '../use-cases/records/list-access-records.ts';
export { readAccessStatistics } from '../use-cases/records/read-access-statistics.ts';
export { readGrantUsage } from '../use-cases/records/read-grant-usage.ts';
export { walkReceivedRecords } from '../use-cases/records/walk-access-records.ts';
export {
  createWebhookEndpoint,
  enableWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookEndpoints,
  readWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookEndpoint,
  testWebhookEndpoint,
} from '../use-cases/webhooks/company-webhooks.ts';
