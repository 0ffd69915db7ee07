// What a company can do with its own key.
export {
  approveRequest,
  declineRequest,
  extendRequest,
  revokeRequest,
} from './consent/company-decisions.ts';
export { listReceivedRecords } from './consent/list-access-records.ts';
export { listReceivedRequests, readReceivedRequest } from './consent/list-access-requests.ts';
export { readReceivedReceipts } from './consent/read-receipts.ts';
export {
  createWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookEndpoints,
  readWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookEndpoint,
  testWebhookEndpoint,
} from './events/company-webhooks.ts';
export { readCompanyEvents } from './events/read-events.ts';
export { watchCompanyEvents } from './events/watch-events.ts';
export { admitCompany } from './identity/admit-caller.ts';
