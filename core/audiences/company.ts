// The use cases of a company, called with an API key or by a contact at the desk.
import type { Permitted } from '../model/identity/acting-credential.ts';
import type { CompanyCaller } from '../model/identity/caller.ts';
import type { Ports } from '../ports/index.ts';
import * as entries from '../use-cases/company-data/list-entries.ts';
import * as pushPreview from '../use-cases/company-data/preview-push.ts';
import * as preview from '../use-cases/company-data/preview-scope.ts';
import * as pushes from '../use-cases/company-data/push-records.ts';
import {
  readAccounts,
  readLatestMetrics,
  readMetricHistory,
  readMetricRevisions,
  readSources,
} from '../use-cases/company-data/read-company-data.ts';
import * as decisions from '../use-cases/consent/decide-access-request.ts';
import * as requests from '../use-cases/consent/list-received-requests.ts';
import { listReceipts, readReceipts } from '../use-cases/consent/read-receipts.ts';
import { readEvents } from '../use-cases/feed/read-events.ts';
import * as streams from '../use-cases/feed/watch-events.ts';
import { listOwnSettingsChanges as listChanges } from '../use-cases/identity/list-settings-changes.ts';
import * as keys from '../use-cases/identity/manage-company-keys.ts';
import * as contacts from '../use-cases/identity/manage-contacts.ts';
import { listReceivedRecords as listRecords } from '../use-cases/records/list-access-records.ts';
import * as statistics from '../use-cases/records/read-access-statistics.ts';
import * as usage from '../use-cases/records/read-grant-usage.ts';
import * as recordWalks from '../use-cases/records/walk-access-records.ts';
import * as webhooks from '../use-cases/webhooks/manage-webhooks.ts';
import * as deliveries from '../use-cases/webhooks/test-and-replay.ts';
import { changeOfCompany, ofCompany, ofOwnData } from './bindings.ts';

export { admitCompany } from '../use-cases/identity/admit-caller.ts';

export const listReceivedRequests = ofCompany(requests.listReceivedRequests, 'see');
export const readReceivedRequest = ofCompany(requests.readReceivedRequest, 'see');
export const readReceivedRequestWithActors = ofCompany(
  requests.readReceivedRequestWithActors,
  'see',
);
export const listWaitingRequests = ofCompany(requests.listWaitingRequests, 'see');
export const countReceivedRequests = ofCompany(requests.countReceivedRequests, 'see');
export const listEndingGrants = ofCompany(requests.listEndingGrants, 'see');
export const listRequestingInvestors = ofCompany(requests.listRequestingInvestors, 'see');
export const readReceivedReceipts = ofCompany(readReceipts, 'see');
export const readReceivedChain = ofCompany(listReceipts, 'see');
export const readCompanyEvents = ofCompany(readEvents, 'see');
export const watchCompanyEvents = ofCompany(streams.watchCompanyEvents, 'see');
export const previewScope = ofCompany(preview.previewScope, 'see');

export const approveRequest = changeOfCompany(decisions.approveAccessRequest, 'decide');
export const declineRequest = changeOfCompany(decisions.declineAccessRequest, 'decide');
export const revokeRequest = changeOfCompany(decisions.revokeAccessRequest, 'decide');
export const extendRequest = changeOfCompany(decisions.extendAccessRequest, 'decide');

export const listReceivedRecords = ofCompany(listRecords, 'see');
export const walkReceivedRecords = ofCompany(recordWalks.walkReceivedRecords, 'see');
export const readAccessStatistics = ofCompany(statistics.readAccessStatistics, 'see');
export const readGrantUsage = ofCompany(usage.readGrantUsage, 'see');

export const readOwnMetrics = ofOwnData(readLatestMetrics);
export const readOwnMetricHistory = ofOwnData(readMetricHistory);
export const readOwnMetricRevisions = ofOwnData(readMetricRevisions);
export const listOwnMetricEntries = ofCompany(entries.listMetricEntries, 'see', 'data:read');
export const readOwnSources = ofOwnData(readSources);
export const readOwnAccounts = ofOwnData(readAccounts);
export const previewPush = changeOfCompany(pushPreview.previewPush, 'enter_data', 'data:write');
export const pushRecords = changeOfCompany(pushes.pushRecords, 'enter_data', 'data:write');

export const listOwnKeys = ofCompany(keys.listOwnKeys, 'see');
export const createOwnKey = changeOfCompany(keys.createCompanyKey, 'manage_keys');
export const revokeOwnKey = changeOfCompany(keys.revokeCompanyKey, 'manage_keys');
export const rotateOwnKey = changeOfCompany(keys.rotateCompanyKey, 'manage_keys');

export const listOwnContacts = ofCompany(contacts.listContacts, 'see');
export const addOwnContact = changeOfCompany(contacts.inviteContact, 'manage_people');
export const changeOwnContactRole = changeOfCompany(contacts.changeContactRole, 'manage_people');
export const removeOwnContact = changeOfCompany(contacts.removeContact, 'manage_people');

export const listOwnSettingsChanges = ofCompany(listChanges, 'see');

const managingWebhooks = <Input extends unknown[], Result>(
  act: (ports: Ports) => (caller: CompanyCaller & Permitted, ...input: Input) => Result,
) => changeOfCompany(act, 'manage_webhooks');

export const listWebhookEndpoints = ofCompany(webhooks.listWebhookEndpoints, 'see');
export const createWebhookEndpoint = managingWebhooks(webhooks.createWebhookEndpoint);
export const readWebhookEndpoint = ofCompany(webhooks.readWebhookEndpoint, 'see');
export const changeWebhookEndpoint = managingWebhooks(webhooks.changeWebhookEndpoint);
export const removeWebhookEndpoint = managingWebhooks(webhooks.removeWebhookEndpoint);
export const enableWebhookEndpoint = managingWebhooks(webhooks.enableWebhookEndpoint);
export const rotateWebhookEndpoint = managingWebhooks(webhooks.rotateWebhookEndpoint);
export const testWebhookEndpoint = managingWebhooks(deliveries.testWebhookEndpoint);
export const replayWebhook = managingWebhooks(deliveries.replayDelivery);
export const listWebhookDeliveries = ofCompany(deliveries.listWebhookDeliveries, 'see');
