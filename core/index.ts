export * from './audiences/index.ts';
export * from './audiences/owner.ts';
export * from './model/company-data/account.ts';
export * from './model/company-data/company.ts';
export * from './model/company-data/data-limits.ts';
export * from './model/company-data/decimal.ts';
export * from './model/company-data/display-text.ts';
export type { ValueMark } from './model/company-data/entered-metric.ts';
export * from './model/company-data/import-line.ts';
export type * from './model/company-data/import-record.ts';
export * from './model/company-data/last-of-each.ts';
export * from './model/company-data/metric.ts';
export * from './model/company-data/metric-payload.ts';
export {
  noEnd,
  type PortfolioCursor,
  type PortfolioOrder,
} from './model/company-data/portfolio-cursor.ts';
export { type SigningContext, StoredSignature } from './model/company-data/signed-verification.ts';
export * from './model/company-data/source.ts';
export { connectionSizeOf } from './model/connection.ts';
export * from './model/consent/access-policy.ts';
export * from './model/consent/access-record.ts';
export * from './model/consent/access-request.ts';
export * from './model/consent/decision.ts';
export * from './model/consent/issue-receipt.ts';
export { noPrefetchedFacts } from './model/consent/prefetched-facts.ts';
export * from './model/consent/receipt.ts';
export { eventIdOf, versionOf } from './model/consent/request-version.ts';
export * from './model/consent/scopes.ts';
export * from './model/consent/terms.ts';
export * from './model/consent/transition.ts';
export type * from './model/consistency/consent-trail.ts';
export type * from './model/consistency/feed-state.ts';
export * from './model/consistency/inconsistency.ts';
export type * from './model/consistency/logged-settings.ts';
export type * from './model/consistency/stored-value.ts';
export type { Cursor, Page } from './model/cursor.ts';
export { requireNotErased } from './model/erasure/erased.ts';
export * from './model/error-catalogue.ts';
export * from './model/errors.ts';
export * from './model/events/access-event.ts';
export * from './model/events/backlog.ts';
export * from './model/events/data-event.ts';
export * from './model/events/event-type.ts';
export * from './model/events/mail.ts';
export * from './model/events/news.ts';
export * from './model/events/webhook-delivery.ts';
export * from './model/events/webhook-endpoint.ts';
export type { AccessToken } from './model/identity/access-token.ts';
export type * from './model/identity/acting-credential.ts';
export * from './model/identity/api-key.ts';
export * from './model/identity/caller.ts';
export * from './model/identity/company-key.ts';
export * from './model/identity/contact.ts';
export * from './model/identity/investor.ts';
export * from './model/identity/key-state.ts';
export * from './model/identity/key-uses.ts';
export type { Owner, OwnerOrOperator } from './model/identity/owner.ts';
export * from './model/identity/rate-limit.ts';
export * from './model/identity/roles.ts';
export { mintSecret } from './model/identity/secret.ts';
export * from './model/identity/settings-change.ts';
export {
  companyInput,
  InputError,
  idempotencyKeyInput,
  maxIdempotencyKeyLength,
  maxPageSize,
  pageInput,
  parseInput,
  unknownParameter,
} from './model/input.ts';
export type * from './model/platform.ts';
export * from './model/proof/jws.ts';
export * from './model/proof/signing-key.ts';
export {
  algorithmsOf,
  type PublicJwk,
  type UpstreamSigner,
} from './model/proof/upstream-signer.ts';
export type { CallingSession, Session } from './model/sign-in/session.ts';
export {
  linkMinutes,
  type SignInLink,
  type SignInLinkState,
} from './model/sign-in/sign-in-link.ts';
export * from './model/sign-in/sign-in-way.ts';
export { isName, maxNameLength, maxReasonLength } from './model/text.ts';
export { addDays, isFutureEnd } from './model/time.ts';
export type * from './ports/access-records.ts';
export type * from './ports/approval-rules.ts';
export type * from './ports/company-data.ts';
export type * from './ports/consent.ts';
export type * from './ports/consistency.ts';
export type * from './ports/erasures.ts';
export * from './ports/events.ts';
export type * from './ports/exports.ts';
export type * from './ports/identity.ts';
export type * from './ports/index.ts';
export type * from './ports/open-id-connect.ts';
export type * from './ports/proof.ts';
export type * from './ports/queues.ts';
export type * from './ports/receipts.ts';
export type * from './ports/settings-changes.ts';
export type * from './ports/sign-in.ts';
export type * from './ports/spool.ts';
export type * from './ports/statistics.ts';
export type * from './ports/webhooks.ts';
export { maxPushedRevisions, unreadableRecord } from './use-cases/company-data/check-pushed.ts';
export type { CompletedRecord } from './use-cases/company-data/complete-records.ts';
export type { ExportedRecord } from './use-cases/company-data/export-company.ts';
export type { ImportEntry, ImportResult } from './use-cases/company-data/import-records.ts';
export {
  type PagePortfolioInput,
  type PortfolioEdge,
  type PortfolioPage,
  pageSizeOf,
} from './use-cases/company-data/page-portfolio.ts';
export {
  type PreviewedMetric,
  type PushPreview,
  valueChanges,
} from './use-cases/company-data/preview-push.ts';
export type { ScopePreview } from './use-cases/company-data/preview-scope.ts';
export {
  type DataPush,
  maxPushedRecords,
  maxUploadedRecords,
  type PushRecordsInput,
  pushRecordsInput,
} from './use-cases/company-data/push-records.ts';
export {
  latestMetricsInput,
  maxHistoryKeys,
  maxMetricKeys,
  metricHistoryInput,
  metricInput,
  periodInput,
} from './use-cases/company-data/read-company-data.ts';
export {
  listPortfolioInput,
  type PortfolioState,
} from './use-cases/company-data/read-portfolio.ts';
export {
  type CompanyFigures,
  maxFigureCompanies,
  maxFigureValues,
  type PortfolioFigures,
  type PortfolioFiguresInput,
} from './use-cases/company-data/read-portfolio-figures.ts';
export { loadData, type Reading } from './use-cases/company-data/reading.ts';
export {
  maxHistoryCompanies,
  type WalkMetricHistoriesInput,
} from './use-cases/company-data/walk-metric-histories.ts';
export {
  type AmendAccessRequestInput,
  amendAccessRequestInput,
  withdrawAccessRequestInput,
} from './use-cases/consent/change-own-request.ts';
export {
  approvalInput,
  declineInput,
  narrowingInput,
} from './use-cases/consent/decide-access-request.ts';
export {
  type AccessRequestEdge,
  accessRequestInput,
  listAccessRequestsInput,
  requestFilterInput,
} from './use-cases/consent/list-access-requests.ts';
export {
  listReceivedRequestsInput,
  type ReadableRequest,
  type ReceivedRequestDetails,
  type RequestWithActors,
} from './use-cases/consent/list-received-requests.ts';
export type { OwnRequest, OwnRequestDetails } from './use-cases/consent/read-own-requests.ts';
export {
  type ReceiptPage,
  type ReceiptsInput,
  receiptsInput,
} from './use-cases/consent/read-receipts.ts';
export {
  type AccessRequested,
  maxPurposeLength,
  type RequestAccessInput,
  requestAccessInput,
} from './use-cases/consent/request-access.ts';
export type { ErasedOwner } from './use-cases/erasure/erase.ts';
export { PolledEventFeed } from './use-cases/feed/event-feed.ts';
export { daysInFeed } from './use-cases/feed/feed-window.ts';
export { type EventPage, maxEvents, readEventsInput } from './use-cases/feed/read-events.ts';
export type { Admission } from './use-cases/identity/admit-caller.ts';
export {
  type CallingApiKey,
  callingKeyInput,
  rotateCallingKeyInput,
} from './use-cases/identity/calling-key.ts';
export type { MintedApiKey } from './use-cases/identity/manage-api-keys.ts';
export type { MintedCompanyKey } from './use-cases/identity/manage-company-keys.ts';
export { emailInput, maxEmailLength } from './use-cases/identity/manage-contacts.ts';
export type { ListedSigningKey } from './use-cases/proof/manage-signing-keys.ts';
export { defaultMailCount } from './use-cases/queues/queues.ts';
export type { QueuedMail, SignInMail, WrittenMail } from './use-cases/queues/send-mails.ts';
export {
  type AccessRecordEdge,
  type AccessRecordPage,
  type ListAccessRecordsInput,
  listReceivedRecordsInput,
  maxAccessRecords,
  recordPageSizeOf,
} from './use-cases/records/list-access-records.ts';
export {
  listOwnRecordsInput,
  type OwnRecord,
  outcomeFilters,
  type SearchOwnRecordsInput,
} from './use-cases/records/list-own-records.ts';
export {
  maxStatisticsDays,
  type ReadSeries,
  type ReadStatistics,
} from './use-cases/records/read-access-statistics.ts';
export type { OwnUsage } from './use-cases/records/read-own-usage.ts';
export { sandboxCompanyIds } from './use-cases/sandbox/companies.ts';
export type { ContactSession, ListedSession } from './use-cases/sign-in/manage-sessions.ts';
export type { OpenedSession } from './use-cases/sign-in/prepare-session.ts';
export type { ProviderSignIn } from './use-cases/sign-in/sign-in-at-provider.ts';
export {
  changeWebhookInput,
  type MintedWebhook,
  maxWebhookUrlLength,
  newWebhookInput,
  webhookInput,
} from './use-cases/webhooks/manage-webhooks.ts';
export {
  listDeliveriesInput,
  replayDeliveryInput,
  type WebhookTest,
} from './use-cases/webhooks/test-and-replay.ts';
