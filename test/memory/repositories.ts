import type { Repositories } from '#core';
import { createMemoryAccessEvents } from './access-events.ts';
import { createMemoryAccessFactsReader } from './access-facts-reader.ts';
import { createMemoryAccessRecords } from './access-records.ts';
import { createMemoryAccessRequests } from './access-requests.ts';
import { createMemoryAccessStatistics } from './access-statistics.ts';
import { createMemoryActingCredentials } from './acting-credentials.ts';
import { createMemoryApprovalRules } from './approval-rules.ts';
import { createMemoryCompanyData } from './company-data.ts';
import { createMemoryConsistency } from './consistency.ts';
import { createMemoryContacts } from './contacts.ts';
import { createMemoryDirectory } from './directory.ts';
import { createMemoryErasures } from './erasures.ts';
import { createMemoryExports } from './exports.ts';
import { createMemoryIdempotencyKeys } from './idempotency-keys.ts';
import { createMemoryImports } from './imports.ts';
import { createMemoryApiKeys, createMemoryCompanyKeys } from './keys.ts';
import { createMemoryMails } from './mails.ts';
import { createMemoryMetricSignatures } from './metric-signatures.ts';
import { createMemoryReceipts } from './receipts.ts';
import { createMemorySettingsChanges } from './settings-changes.ts';
import { createMemoryDeskSessions, createMemorySignInLinks } from './sign-in.ts';
import { createMemorySigningKeys } from './signing-keys.ts';
import { createStore } from './store.ts';
import { createMemoryUpstreamSigners } from './upstream-signers.ts';
import { createMemoryWebhooks } from './webhooks.ts';

/** Keeps in Maps what the database keeps in tables. The same contract tests run on both. */
export function createMemoryRepositories(): Repositories {
  const store = createStore();
  const accessEvents = createMemoryAccessEvents(store);
  const companyData = createMemoryCompanyData(store);
  const receipts = createMemoryReceipts(store);
  return {
    accessEvents,
    accessRecords: createMemoryAccessRecords(store),
    accessRequests: createMemoryAccessRequests(store),
    accessStatistics: createMemoryAccessStatistics(store),
    actingCredentials: createMemoryActingCredentials(store),
    apiKeys: createMemoryApiKeys(store),
    approvalRules: createMemoryApprovalRules(store),
    companyKeys: createMemoryCompanyKeys(store),
    consistency: createMemoryConsistency(store),
    contacts: createMemoryContacts(store),
    companyData,
    deskSessions: createMemoryDeskSessions(store),
    directory: createMemoryDirectory(store),
    erasures: createMemoryErasures(store),
    exports: createMemoryExports(store, companyData, receipts),
    idempotencyKeys: createMemoryIdempotencyKeys(store),
    imports: createMemoryImports(store),
    mails: createMemoryMails(store, accessEvents),
    metricSignatures: createMemoryMetricSignatures(store),
    receipts,
    upstreamSigners: createMemoryUpstreamSigners(store),
    settingsChanges: createMemorySettingsChanges(store),
    signInLinks: createMemorySignInLinks(store),
    signingKeys: createMemorySigningKeys(store),
    ...createMemoryWebhooks(store),
    accessFacts: createMemoryAccessFactsReader(store),
  };
}
