// What the service does by itself, for nobody who asks.
export { countStoppedSources } from '../use-cases/company-data/count-stopped-sources.ts';
export { tellStaleSources } from '../use-cases/company-data/tell-stale-sources.ts';
export {
  announceExpiringGrants,
  expireAccessRequests,
  forgetIdempotencyKeys,
} from '../use-cases/consent/deadlines.ts';
export { forgetDataEvents } from '../use-cases/feed/forget-data-events.ts';
export { readBacklogs } from '../use-cases/feed/read-backlogs.ts';
export { keepKeyUses } from '../use-cases/identity/keep-key-uses.ts';
export { forgetOldMails, queueMails } from '../use-cases/mails/manage-mails.ts';
export {
  claimMails,
  claimSignInMails,
  confirmMail,
  postponeMail,
} from '../use-cases/mails/outbox.ts';
export { listPublicKeys } from '../use-cases/proof/manage-signing-keys.ts';
export { countAccessRecords } from '../use-cases/records/count-access-records.ts';
export { answerSandboxRequests } from '../use-cases/sandbox/answer-requests.ts';
export { forgetSignIns } from '../use-cases/sign-in/manage-sessions.ts';
export {
  claimWebhookEndpoints,
  deliverWebhooks,
  forgetOldDeliveries,
  queueWebhooks,
} from '../use-cases/webhooks/deliver-webhooks.ts';
