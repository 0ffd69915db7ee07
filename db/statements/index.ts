import type { Repositories } from '#core';
import type { BatchLimits } from '../connections/batch.ts';
import type { RefusalQueue } from '../connections/refusal-queue.ts';
import type { Stores } from '../connections/store.ts';
import { createAccessEvents } from './access-events.ts';
import { createAccessFactsReader } from './access-facts-reader.ts';
import { createAccessRecords } from './access-records/index.ts';
import { createAccessRequests } from './access-requests.ts';
import { createAccessStatistics } from './access-statistics.ts';
import { createActingCredentials } from './acting-credentials.ts';
import { createApprovalRules } from './approval-rules.ts';
import { createCompanyData } from './company-data.ts';
import { createConsistency } from './consistency.ts';
import { createContacts } from './contacts.ts';
import { createDeskSessions } from './desk-sessions.ts';
import { createDirectory } from './directory.ts';
import { createErasures } from './erasures.ts';
import { createExports } from './exports.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { createImports } from './imports/index.ts';
import { createApiKeys, createCompanyKeys } from './keys.ts';
import { createMails } from './mails.ts';
import { createMetricSignatures } from './proof/metric-signatures.ts';
import { createReceipts } from './proof/receipts.ts';
import { createSigningKeys } from './proof/signing-keys.ts';
import { createUpstreamSigners } from './proof/upstream-signers.ts';
import { createSettingsChanges } from './settings-changes.ts';
import { createSignInLinks } from './sign-in-links.ts';
import { createWebhookDeliveries } from './webhook-deliveries.ts';
import { createWebhookEndpoints } from './webhook-endpoints.ts';

export function createRepositories(
  stores: Stores,
  limits: BatchLimits,
  refusals: RefusalQueue,
): Repositories {
  const { requests, longWork } = stores;
  // Every read by a caller needs one of the statements with `oneByOne`. Only one statement of each kind runs at a time,
  // so that the next batch collects more questions meanwhile.
  const oneByOne = { ...limits, inFlight: 1 };
  return {
    accessEvents: createAccessEvents(stores, limits),
    accessRecords: createAccessRecords(stores, oneByOne, refusals),
    accessRequests: createAccessRequests(stores, limits),
    accessStatistics: createAccessStatistics(stores, limits),
    actingCredentials: createActingCredentials(stores),
    apiKeys: createApiKeys(stores, oneByOne),
    companyData: createCompanyData(stores, limits),
    companyKeys: createCompanyKeys(stores, oneByOne),
    consistency: createConsistency(longWork),
    approvalRules: createApprovalRules(stores),
    contacts: createContacts(stores),
    deskSessions: createDeskSessions(stores, oneByOne),
    directory: createDirectory(stores, limits),
    erasures: createErasures(longWork),
    exports: createExports(longWork),
    idempotencyKeys: createIdempotencyKeys(requests),
    imports: createImports(stores),
    mails: createMails(stores),
    metricSignatures: createMetricSignatures(longWork),
    settingsChanges: createSettingsChanges(stores),
    signInLinks: createSignInLinks(requests),
    signingKeys: createSigningKeys(stores, oneByOne),
    receipts: createReceipts(stores, limits),
    upstreamSigners: createUpstreamSigners(stores),
    webhookDeliveries: createWebhookDeliveries(stores),
    webhookEndpoints: createWebhookEndpoints(stores),
    accessFacts: createAccessFactsReader(stores, oneByOne),
  };
}
