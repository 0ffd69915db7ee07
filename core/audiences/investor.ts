// The use cases of an investor. The caller is an API key, or a contact at the desk.
import type { Permitted } from '../model/identity/acting-credential.ts';
import type { InvestorCaller, InvestorContactCaller } from '../model/identity/caller.ts';
import type { InvestorPermission } from '../model/identity/roles.ts';
import type { Ports } from '../ports/index.ts';
import * as changes from '../use-cases/consent/change-own-request.ts';
import * as requests from '../use-cases/consent/list-access-requests.ts';
import * as ownRequests from '../use-cases/consent/read-own-requests.ts';
import * as receipts from '../use-cases/consent/read-receipts.ts';
import * as requesting from '../use-cases/consent/request-access.ts';
import { readEvents } from '../use-cases/feed/read-events.ts';
import * as streams from '../use-cases/feed/watch-events.ts';
import { listOwnSettingsChanges as listChanges } from '../use-cases/identity/list-settings-changes.ts';
import * as keys from '../use-cases/identity/manage-api-keys.ts';
import * as contacts from '../use-cases/identity/manage-contacts.ts';
import * as mailSettings from '../use-cases/identity/manage-mail-settings.ts';
import * as usage from '../use-cases/records/read-own-usage.ts';
import * as records from '../use-cases/records/walk-access-records.ts';
import * as webhooks from '../use-cases/webhooks/manage-webhooks.ts';
import * as deliveries from '../use-cases/webhooks/test-and-replay.ts';
import { bindChangeToInvestor, bindToInvestor } from './bindings.ts';

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
export {
  listPortfolio,
  readPortfolioCompany,
  readPortfolioOverview,
} from '../use-cases/company-data/read-portfolio.ts';
export { readPortfolioFigures } from '../use-cases/company-data/read-portfolio-figures.ts';
export { walkMetricHistories } from '../use-cases/company-data/walk-metric-histories.ts';
export { walkAccessRequests } from '../use-cases/consent/walk-access-requests.ts';
export { waitForDecision } from '../use-cases/feed/wait-for-decision.ts';
export { admitCaller, chargeCaller } from '../use-cases/identity/admit-caller.ts';
export { readCallingKey, rotateCallingKey } from '../use-cases/identity/calling-key.ts';
export { readInvestor } from '../use-cases/identity/organisations.ts';
export { listAccessRecords } from '../use-cases/records/list-access-records.ts';
export { listOwnRecords } from '../use-cases/records/list-own-records.ts';

export const { listAccessRequests, pageAccessRequests } = requests;
export const { watchAccessRequests, watchCompanyData, watchInvestorEvents } = streams;
export const readAccessRequest = bindToInvestor(requests.readAccessRequest, 'see');
export const readAccessRequestHistory = bindToInvestor(requests.readAccessRequestHistory, 'see');
export const readReceipts = bindToInvestor(receipts.readReceipts, 'see');
export const readReceiptsHead = bindToInvestor(receipts.readReceiptsHead, 'see');
export const listOwnSettingsChanges = bindToInvestor(listChanges, 'see');
export const readInvestorEvents = bindToInvestor(readEvents, 'see');

export const requestAccess = bindChangeToInvestor(requesting.requestAccess, 'ask');
export const amendAccessRequest = bindChangeToInvestor(changes.amendAccessRequest, 'ask');
export const withdrawAccessRequest = bindChangeToInvestor(changes.withdrawAccessRequest, 'ask');

const bindToInvestorContact = <Input extends unknown[], Result>(
  act: (ports: Ports) => (caller: InvestorContactCaller, ...input: Input) => Result,
  permission: InvestorPermission,
) => bindToInvestor(act, permission);

const changeOfInvestorContact = <Input extends unknown[], Result>(
  act: (ports: Ports) => (caller: InvestorContactCaller & Permitted, ...input: Input) => Result,
  permission: InvestorPermission,
) => bindChangeToInvestor(act, permission);

export const listOwnContacts = bindToInvestorContact(contacts.listContacts, 'see');
export const addOwnContact = changeOfInvestorContact(contacts.inviteContact, 'manage_people');
export const changeOwnContactRole = changeOfInvestorContact(
  contacts.changeContactRole,
  'manage_people',
);
export const removeOwnContact = changeOfInvestorContact(contacts.removeContact, 'manage_people');

export const readOwnMailSettings = bindToInvestorContact(mailSettings.readOwnMailSettings, 'see');
export const saveOwnMailSettings = changeOfInvestorContact(mailSettings.saveOwnMailSettings, 'see');

const scope = 'webhooks:manage';
const managingWebhooks = <Input extends unknown[], Result>(
  act: (ports: Ports) => (caller: InvestorCaller & Permitted, ...input: Input) => Result,
) => bindChangeToInvestor(act, 'manage_webhooks', scope);

export const listWebhookEndpoints = bindToInvestor(webhooks.listWebhookEndpoints, 'see', scope);
export const createWebhookEndpoint = managingWebhooks(webhooks.createWebhookEndpoint);
export const readWebhookEndpoint = bindToInvestor(webhooks.readWebhookEndpoint, 'see', scope);
export const changeWebhookEndpoint = managingWebhooks(webhooks.changeWebhookEndpoint);
export const removeWebhookEndpoint = managingWebhooks(webhooks.removeWebhookEndpoint);
export const enableWebhookEndpoint = managingWebhooks(webhooks.enableWebhookEndpoint);
export const rotateWebhookEndpoint = managingWebhooks(webhooks.rotateWebhookEndpoint);
export const testWebhookEndpoint = managingWebhooks(deliveries.testWebhookEndpoint);
export const replayWebhook = managingWebhooks(deliveries.replayDelivery);
export const listWebhookDeliveries = bindToInvestor(deliveries.listWebhookDeliveries, 'see', scope);

export const listOwnRequests = bindToInvestorContact(ownRequests.listOwnRequests, 'see');
export const readOwnRequest = bindToInvestorContact(ownRequests.readOwnRequest, 'see');
export const readOwnChain = bindToInvestorContact(receipts.listReceipts, 'see');
export const walkOwnRecords = bindToInvestorContact(records.walkOwnRecords, 'see');
export const readOwnUsage = bindToInvestorContact(usage.readOwnUsage, 'see');

export const listOwnKeys = bindToInvestorContact(keys.listOwnApiKeys, 'see');
export const createOwnKey = changeOfInvestorContact(keys.createOwnApiKey, 'manage_keys');
export const revokeOwnKey = changeOfInvestorContact(keys.revokeApiKey, 'manage_keys');
export const rotateOwnKey = changeOfInvestorContact(keys.rotateApiKey, 'manage_keys');
