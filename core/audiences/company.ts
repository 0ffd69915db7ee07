// The use cases of a company. The caller is a company key, or a contact at the desk.
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
import * as approvalRule from '../use-cases/consent/manage-approval-rule.ts';
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
import { bindChangeToCompany, bindToCompany, bindToOwnData } from './bindings.ts';

export { admitCompany } from '../use-cases/identity/admit-caller.ts';

export const listReceivedRequests = bindToCompany(requests.listReceivedRequests, 'see');
export const readReceivedRequest = bindToCompany(requests.readReceivedRequest, 'see');
export const readReceivedRequestWithActors = bindToCompany(
  requests.readReceivedRequestWithActors,
  'see',
);
export const listWaitingRequests = bindToCompany(requests.listWaitingRequests, 'see');
export const countReceivedRequests = bindToCompany(requests.countReceivedRequests, 'see');
export const listGrantsToReview = bindToCompany(requests.listGrantsToReview, 'see');
export const listEndingGrants = bindToCompany(requests.listEndingGrants, 'see');
export const listRequestingInvestors = bindToCompany(requests.listRequestingInvestors, 'see');
export const readReceivedReceipts = bindToCompany(readReceipts, 'see');
export const readReceivedChain = bindToCompany(listReceipts, 'see');
export const readCompanyEvents = bindToCompany(readEvents, 'see');
export const watchCompanyEvents = bindToCompany(streams.watchCompanyEvents, 'see');
export const previewScope = bindToCompany(preview.previewScope, 'see');

export const approveRequest = bindChangeToCompany(decisions.approveAccessRequest, 'decide');
export const declineRequest = bindChangeToCompany(decisions.declineAccessRequest, 'decide');
export const revokeRequest = bindChangeToCompany(decisions.revokeAccessRequest, 'decide');
export const narrowRequest = bindChangeToCompany(decisions.narrowAccessRequest, 'decide');
export const pauseRequest = bindChangeToCompany(decisions.pauseAccessRequest, 'decide');
export const resumeRequest = bindChangeToCompany(decisions.resumeAccessRequest, 'decide');
export const extendRequest = bindChangeToCompany(decisions.extendAccessRequest, 'decide');

export const readApprovalsRequired = bindToCompany(approvalRule.readApprovalsRequired, 'see');
export const setApprovalsRequired = bindChangeToCompany(
  approvalRule.setApprovalsRequired,
  'set_approval_rule',
);

export const listReceivedRecords = bindToCompany(listRecords, 'see');
export const walkReceivedRecords = bindToCompany(recordWalks.walkReceivedRecords, 'see');
export const readAccessStatistics = bindToCompany(statistics.readAccessStatistics, 'see');
export const readGrantUsage = bindToCompany(usage.readGrantUsage, 'see');

export const readOwnMetrics = bindToOwnData(readLatestMetrics);
export const readOwnMetricHistory = bindToOwnData(readMetricHistory);
export const readOwnMetricRevisions = bindToOwnData(readMetricRevisions);
export const listOwnMetricEntries = bindToCompany(entries.listMetricEntries, 'see', 'data:read');
export const readOwnSources = bindToOwnData(readSources);
export const readOwnAccounts = bindToOwnData(readAccounts);
export const previewPush = bindChangeToCompany(pushPreview.previewPush, 'enter_data', 'data:write');
export const pushRecords = bindChangeToCompany(pushes.pushRecords, 'enter_data', 'data:write');

export const listOwnKeys = bindToCompany(keys.listOwnKeys, 'see');
export const createOwnKey = bindChangeToCompany(keys.createCompanyKey, 'manage_keys');
export const revokeOwnKey = bindChangeToCompany(keys.revokeCompanyKey, 'manage_keys');
export const rotateOwnKey = bindChangeToCompany(keys.rotateCompanyKey, 'manage_keys');

export const listOwnContacts = bindToCompany(contacts.listContacts, 'see');
export const addOwnContact = bindChangeToCompany(contacts.inviteContact, 'manage_people');
export const changeOwnContactRole = bindChangeToCompany(
  contacts.changeContactRole,
  'manage_people',
);
export const removeOwnContact = bindChangeToCompany(contacts.removeContact, 'manage_people');

export const listOwnSettingsChanges = bindToCompany(listChanges, 'see');

const managingWebhooks = <Input extends unknown[], Result>(
  act: (ports: Ports) => (caller: CompanyCaller & Permitted, ...input: Input) => Result,
) => bindChangeToCompany(act, 'manage_webhooks');

export const listWebhookEndpoints = bindToCompany(webhooks.listWebhookEndpoints, 'see');
export const createWebhookEndpoint = managingWebhooks(webhooks.createWebhookEndpoint);
export const readWebhookEndpoint = bindToCompany(webhooks.readWebhookEndpoint, 'see');
export const changeWebhookEndpoint = managingWebhooks(webhooks.changeWebhookEndpoint);
export const removeWebhookEndpoint = managingWebhooks(webhooks.removeWebhookEndpoint);
export const enableWebhookEndpoint = managingWebhooks(webhooks.enableWebhookEndpoint);
export const rotateWebhookEndpoint = managingWebhooks(webhooks.rotateWebhookEndpoint);
export const testWebhookEndpoint = managingWebhooks(deliveries.testWebhookEndpoint);
export const replayWebhook = managingWebhooks(deliveries.replayDelivery);
export const listWebhookDeliveries = bindToCompany(deliveries.listWebhookDeliveries, 'see');
