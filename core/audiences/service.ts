// The periodic tasks of the service. The tasks have no caller.
export {
  countUnhealthySources,
  reportStaleSources,
} from '../use-cases/company-data/report-stale-sources.ts';
export {
  announceExpiringGrants,
  announceReviews,
  deleteExpiredIdempotencyKeys,
  expireAccessRequests,
} from '../use-cases/consent/deadlines.ts';
export { watchConsents } from '../use-cases/consistency/watch-consents.ts';
export { deleteOldDataEvents } from '../use-cases/feed/feed-window.ts';
export { storeKeyUses } from '../use-cases/identity/store-key-uses.ts';
export { listPublicKeys } from '../use-cases/proof/manage-signing-keys.ts';
export { claimWebhookEndpoints, deliverWebhooks } from '../use-cases/queues/deliver-webhooks.ts';
export {
  deleteOldDeliveries,
  deleteOldMails,
  queueMails,
  queueWebhooks,
  readBacklogs,
} from '../use-cases/queues/queues.ts';
export {
  claimMails,
  claimSignInMails,
  confirmMail,
  postponeMail,
} from '../use-cases/queues/send-mails.ts';
export { countAccessRecords } from '../use-cases/records/export-access-log.ts';
export { answerSandboxRequests } from '../use-cases/sandbox/answer-requests.ts';
export { deleteExpiredSignIns } from '../use-cases/sign-in/manage-sessions.ts';
