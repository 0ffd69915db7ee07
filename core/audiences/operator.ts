export { exportCompany } from '../use-cases/company-data/export-company.ts';
// What an operator does, and a company through the operator.
export { importRecords } from '../use-cases/company-data/import-records.ts';
export { showMetricHistory } from '../use-cases/company-data/show-metrics.ts';
export { signMissingMetrics } from '../use-cases/company-data/sign-metrics.ts';
export {
  announceExpiringGrants,
  expireAccessRequests,
  forgetIdempotencyKeys,
} from '../use-cases/consent/deadlines.ts';
export {
  approveAccessRequest,
  declineAccessRequest,
  extendAccessRequest,
  revokeAccessRequest,
} from '../use-cases/consent/decide-access-request.ts';
export {
  listCompanyAccessRequests,
  showAccessRequest,
} from '../use-cases/consent/list-access-requests.ts';
export { listReceipts } from '../use-cases/consent/read-receipts.ts';
export {
  addToPortfolio,
  createCompany,
  listCompanies,
  listPortfolios,
  removeFromPortfolio,
} from '../use-cases/directory/manage-companies.ts';
export { createInvestor, listInvestors } from '../use-cases/directory/manage-investors.ts';
export { readBacklogs } from '../use-cases/feed/read-backlogs.ts';
export { listAccessEvents } from '../use-cases/feed/read-events.ts';
export { keepKeyUses } from '../use-cases/identity/keep-key-uses.ts';
export {
  createApiKey,
  listApiKeys,
  renameApiKey,
  revokeApiKey,
  rotateApiKey,
} from '../use-cases/identity/manage-api-keys.ts';
export {
  createCompanyKey,
  listCompanyKeys,
  renameCompanyKey,
  revokeCompanyKey,
  rotateCompanyKey,
} from '../use-cases/identity/manage-company-keys.ts';
export { addContact, listContacts, removeContact } from '../use-cases/identity/manage-contacts.ts';
export { forgetOldMails, listMails, queueMails } from '../use-cases/mails/manage-mails.ts';
export {
  claimMails,
  claimSignInMails,
  confirmMail,
  postponeMail,
} from '../use-cases/mails/outbox.ts';
export {
  listPublicKeys,
  listSigningKeys,
  registerSigningKey,
  retireSigningKey,
  rotateSigningKey,
} from '../use-cases/proof/manage-signing-keys.ts';
export {
  addUpstreamSigners,
  listUpstreamSigners,
  removeUpstreamSigner,
} from '../use-cases/proof/manage-upstream-signers.ts';
export { signMissingReceipts } from '../use-cases/proof/sign-receipts.ts';
export { archiveAccessRecords } from '../use-cases/records/archive-access-records.ts';
export { countAccessRecords } from '../use-cases/records/count-access-records.ts';
export {
  dropAccessRecords,
  listCompanyAccessRecords,
} from '../use-cases/records/list-access-records.ts';
export { answerSandboxRequests } from '../use-cases/sandbox/answer-requests.ts';
export { createSignInLink } from '../use-cases/sign-in/create-sign-in-link.ts';
export {
  endCompanySession,
  listCompanySessions,
} from '../use-cases/sign-in/manage-company-sessions.ts';
export { forgetSignIns } from '../use-cases/sign-in/manage-sessions.ts';
export {
  claimWebhookEndpoints,
  deliverWebhooks,
  forgetOldDeliveries,
  queueWebhooks,
} from '../use-cases/webhooks/deliver-webhooks.ts';
export {
  addWebhook,
  enableWebhook,
  listDeliveriesOfWebhook,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
} from '../use-cases/webhooks/operator-webhooks.ts';
