// What a company can do with its own key.
import * as decisions from '../use-cases/consent/decide-access-request.ts';
import * as requests from '../use-cases/consent/list-access-requests.ts';
import { listReceipts, readReceipts } from '../use-cases/consent/read-receipts.ts';
import { readEvents } from '../use-cases/feed/read-events.ts';
import * as keys from '../use-cases/identity/manage-company-keys.ts';
import * as contacts from '../use-cases/identity/manage-contacts.ts';
import * as webhooks from '../use-cases/webhooks/manage-webhooks.ts';
import * as deliveries from '../use-cases/webhooks/test-and-replay.ts';
import { ofCompany } from './whose.ts';

export { previewScope } from '../use-cases/company-data/preview-scope.ts';
export { listAskingInvestors } from '../use-cases/consent/list-asking-investors.ts';
export { listEndingGrants } from '../use-cases/consent/list-ending-grants.ts';
export {
  countReceivedRequests,
  listWaitingRequests,
} from '../use-cases/consent/list-waiting-requests.ts';
export { readReceivedRequestWithActors } from '../use-cases/feed/read-request-with-actors.ts';
export { watchCompanyEvents } from '../use-cases/feed/watch-events.ts';
export { admitCompany } from '../use-cases/identity/admit-caller.ts';
export { listReceivedRecords } from '../use-cases/records/list-access-records.ts';
export { readAccessStatistics } from '../use-cases/records/read-access-statistics.ts';
export { readGrantUsage } from '../use-cases/records/read-grant-usage.ts';
export { walkReceivedRecords } from '../use-cases/records/walk-access-records.ts';

export const { listReceivedRequests } = requests;
export const readReceivedRequest = ofCompany(requests.readReceivedRequest);
export const readReceivedReceipts = ofCompany(readReceipts);
export const readReceivedChain = ofCompany(listReceipts);
export const readCompanyEvents = ofCompany(readEvents);

export const approveRequest = ofCompany(decisions.approveAccessRequest);
export const declineRequest = ofCompany(decisions.declineAccessRequest);
export const revokeRequest = ofCompany(decisions.revokeAccessRequest);
export const extendRequest = ofCompany(decisions.extendAccessRequest);

export const { listOwnKeys } = keys;
export const createOwnKey = ofCompany(keys.createCompanyKey);
export const revokeOwnKey = ofCompany(keys.revokeCompanyKey);
export const rotateOwnKey = ofCompany(keys.rotateCompanyKey);

export const listOwnContacts = ofCompany(contacts.listContacts);
export const addOwnContact = ofCompany(contacts.addContact);
export const removeOwnContact = ofCompany(contacts.removeContact);

export const { listWebhookEndpoints } = webhooks;
export const createWebhookEndpoint = ofCompany(webhooks.createWebhookEndpoint);
export const readWebhookEndpoint = ofCompany(webhooks.readWebhookEndpoint);
export const removeWebhookEndpoint = ofCompany(webhooks.removeWebhookEndpoint);
export const enableWebhookEndpoint = ofCompany(webhooks.enableWebhookEndpoint);
export const rotateWebhookEndpoint = ofCompany(webhooks.rotateWebhookEndpoint);
export const testWebhookEndpoint = ofCompany(deliveries.testWebhookEndpoint);
export const listWebhookDeliveries = ofCompany(deliveries.listWebhookDeliveries);
