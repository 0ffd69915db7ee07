export { exportCompany } from './company-data/export-company.ts';
// What an operator does, and a company through the operator.
export { importRecords } from './company-data/import-records.ts';
export {
  addToPortfolio,
  createCompany,
  listCompanies,
  listPortfolios,
  removeFromPortfolio,
} from './company-data/manage-companies.ts';
export { showMetricHistory } from './company-data/show-metrics.ts';
export { signMissingMetrics } from './company-data/sign-metrics.ts';
export { archiveAccessRecords } from './consent/archive/archive-access-records.ts';
export {
  announceExpiringGrants,
  expireAccessRequests,
  forgetIdempotencyKeys,
} from './consent/deadlines.ts';
export {
  approveAccessRequest,
  declineAccessRequest,
  extendAccessRequest,
  revokeAccessRequest,
} from './consent/decide-access-request.ts';
export { dropAccessRecords, listCompanyAccessRecords } from './consent/list-access-records.ts';
export { listCompanyAccessRequests, showAccessRequest } from './consent/list-access-requests.ts';
export { listReceipts } from './consent/receipts/read-receipts.ts';
export { signMissingReceipts } from './consent/receipts/sign-receipts.ts';
export { countAccessRecords } from './consent/statistics/count-access-records.ts';
export {
  claimWebhookEndpoints,
  deliverWebhooks,
  forgetOldDeliveries,
  queueWebhooks,
} from './events/deliver-webhooks.ts';
export {
  claimMails,
  confirmMail,
  forgetOldMails,
  listMails,
  postponeMail,
  queueMails,
} from './events/manage-mails.ts';
export {
  addWebhook,
  enableWebhook,
  listDeliveriesOfWebhook,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
} from './events/operator-webhooks.ts';
export { readBacklogs } from './events/read-backlogs.ts';
export { listAccessEvents } from './events/read-events.ts';
export { keepKeyUses } from './identity/keep-key-uses.ts';
export {
  createApiKey,
  listApiKeys,
  renameApiKey,
  revokeApiKey,
  rotateApiKey,
} from './identity/manage-api-keys.ts';
export {
  createCompanyKey,
  listCompanyKeys,
  renameCompanyKey,
  revokeCompanyKey,
  rotateCompanyKey,
} from './identity/manage-company-keys.ts';
export { addContact, listContacts, removeContact } from './identity/manage-contacts.ts';
export { createInvestor, listInvestors } from './identity/manage-investors.ts';
export {
  listPublicKeys,
  listSigningKeys,
  registerSigningKey,
  retireSigningKey,
  rotateSigningKey,
} from './proof/manage-signing-keys.ts';
export {
  addUpstreamSigners,
  listUpstreamSigners,
  removeUpstreamSigner,
} from './proof/manage-upstream-signers.ts';
export { answerSandboxRequests } from './sandbox/answer-requests.ts';
export { createSignInLink } from './sign-in/create-sign-in-link.ts';
export {
  claimSignInMails,
  confirmSignInMail,
  forgetSignIns,
  postponeSignInMail,
} from './sign-in/mail-sign-in-links.ts';
export { endCompanySession, listCompanySessions } from './sign-in/manage-company-sessions.ts';
