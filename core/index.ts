export * from './company-data/account.ts';
export * from './company-data/company.ts';
export * from './company-data/decimal.ts';
export type { ExportedRecord } from './company-data/export-company.ts';
export type * from './company-data/export-ports.ts';
export * from './company-data/import-line.ts';
export type * from './company-data/import-record.ts';
export type { ImportEntry, ImportResult } from './company-data/import-records.ts';
export * from './company-data/metric.ts';
export {
  type MetricClaims,
  type MetricSignature,
  metricHeader,
  metricPayload,
  signMetric,
} from './company-data/metric-payload.ts';
export {
  type PagePortfolioInput,
  type PortfolioEdge,
  type PortfolioPage,
  pageSizeOf,
} from './company-data/page-portfolio.ts';
export type { PortfolioCursor, PortfolioOrder } from './company-data/portfolio-cursor.ts';
export type * from './company-data/ports.ts';
export type { ScopePreview } from './company-data/preview-scope.ts';
export {
  type LatestMetricsInput,
  latestMetricsInput,
  type MetricHistoryInput,
  type MetricInput,
  maxHistoryKeys,
  maxMetricKeys,
  metricHistoryInput,
  metricInput,
  periodInput,
} from './company-data/read-company-data.ts';
export { type ListPortfolioInput, listPortfolioInput } from './company-data/read-portfolio.ts';
export { type SigningContext, StoredSignature } from './company-data/signed-verification.ts';
export * from './company-data/source.ts';
export { type ConnectionPage, connectionSizeOf } from './connection.ts';
export { emptyAccessContext } from './consent/access-context.ts';
export * from './consent/access-policy.ts';
export * from './consent/access-record.ts';
export * from './consent/access-request.ts';
export type * from './consent/archive/ports.ts';
export { ArchiveUnavailable } from './consent/archive/read-over-both.ts';
export type {
  AmendAccessRequestInput,
  WithdrawAccessRequestInput,
} from './consent/change-own-request.ts';
export {
  amendAccessRequestInput,
  withdrawAccessRequestInput,
} from './consent/change-own-request.ts';
export {
  approvalInput,
  declineInput,
  extensionInput,
  revocationInput,
} from './consent/company-decisions.ts';
export { maxReasonLength } from './consent/decide-access-request.ts';
export type { Encode, Reading } from './consent/gate.ts';
export {
  type AccessRecordEdge,
  type AccessRecordPage,
  type ListAccessRecordsInput,
  listReceivedRecordsInput,
  maxAccessRecords,
  recordPageSizeOf,
} from './consent/list-access-records.ts';
export {
  type AccessRequestInput,
  accessRequestInput,
  type ListAccessRequestsInput,
  listAccessRequestsInput,
  listReceivedRequestsInput,
  type ReceivedRequestDetails,
  type RequestFilterInput,
  requestFilterInput,
} from './consent/list-access-requests.ts';
export type { CappedCount } from './consent/overview/list-waiting-requests.ts';
export type { AccessRequestEdge, AccessRequestPage } from './consent/page-access-requests.ts';
export type * from './consent/ports.ts';
export { issueHead, type ReceiptsHead } from './consent/receipts/issue-head.ts';
export * from './consent/receipts/issue-receipt.ts';
export type * from './consent/receipts/ports.ts';
export {
  type ReceiptOptions,
  type ReceiptPage,
  type ReceiptsInput,
  receiptsInput,
} from './consent/receipts/read-receipts.ts';
export * from './consent/receipts/receipt.ts';
export type * from './consent/record-ports.ts';
export {
  type AccessRequested,
  idempotencyKeyInput,
  maxPurposeLength,
  type RequestAccessInput,
  requestAccessInput,
} from './consent/request-access.ts';
export { eventIdOf, versionOf } from './consent/request-version.ts';
export * from './consent/scopes.ts';
export type * from './consent/statistics/ports.ts';
export type { ReadSeries, ReadStatistics } from './consent/statistics/read-access-statistics.ts';
export * from './consent/transition.ts';
export type { Cursor, Page } from './cursor.ts';
export * from './errors.ts';
export * from './events/access-event.ts';
export { type Backlog, noBacklog } from './events/backlog.ts';
export { EventFeed, type EventStreamLimits } from './events/event-feed.ts';
export * from './events/event-type.ts';
export * from './events/mail.ts';
export type { Mails } from './events/mail-ports.ts';
export { defaultMailCount } from './events/manage-mails.ts';
export {
  listDeliveriesInput,
  type MintedWebhook,
  maxWebhookUrlLength,
  type NewWebhookInput,
  newWebhookInput,
  type WebhookTest,
} from './events/manage-webhooks.ts';
export * from './events/ports.ts';
export { type EventPage, type ReadEventsInput, readEventsInput } from './events/read-events.ts';
export type { Events, WatchEventsInput } from './events/watch-events.ts';
export * from './events/webhook-delivery.ts';
export * from './events/webhook-endpoint.ts';
export type * from './events/webhook-ports.ts';
export * from './events/webhook-sender.ts';
export type { Admission } from './identity/admit-caller.ts';
export * from './identity/api-key.ts';
export * from './identity/caller.ts';
export * from './identity/company-key.ts';
export type { Contact } from './identity/contact.ts';
export * from './identity/investor.ts';
export * from './identity/key-state.ts';
export { KeyUses } from './identity/key-uses.ts';
export type { MintedApiKey } from './identity/manage-api-keys.ts';
export type { MintedCompanyKey } from './identity/manage-company-keys.ts';
export { emailInput } from './identity/manage-contacts.ts';
export type * from './identity/ports.ts';
export * from './identity/rate-limit.ts';
export { mintSecret } from './identity/secret.ts';
export {
  type CompanyInput,
  companyInput,
  InputError,
  parseInput,
  unknownParameter,
} from './input.ts';
export type * from './platform.ts';
export type * from './ports.ts';
export * from './proof/jws.ts';
export type { ListedSigningKey, SigningKeyState } from './proof/manage-signing-keys.ts';
export type * from './proof/ports.ts';
export { algorithmsOf, type PublicJwk, type UpstreamSigner } from './proof/upstream-signer.ts';
export type { MintedSignInLink } from './sign-in/create-sign-in-link.ts';
export type { SignInMail } from './sign-in/mail-sign-in-links.ts';
export type { CompanySession } from './sign-in/manage-company-sessions.ts';
export type { ListedSession } from './sign-in/manage-sessions.ts';
export type * from './sign-in/ports.ts';
export type { CallingSession, Session } from './sign-in/session.ts';
export type { OpenedSession } from './sign-in/sign-in.ts';
export type { SignInLink, SignInLinkState } from './sign-in/sign-in-link.ts';
export { isName } from './text.ts';
export { isFutureEnd } from './time.ts';
export * from './use-cases.ts';
