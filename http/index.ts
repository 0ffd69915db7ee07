export { type ConsentCalls, describeWithNextStep } from './consent-steps.ts';
export { type Encoding, encodings, UnreadableFile } from './csv/encoding.ts';
export { csvLine } from './csv/line.ts';
export {
  metricCells,
  metricColumns,
  metricCsv,
  metricFieldsOf,
  plainCell,
} from './csv/metric.ts';
export { readTable } from './csv/table.ts';
export { bytesOf, DataCache } from './data-cache.ts';
export {
  acceptedEncoding,
  addVary,
  type EncodedBody,
  encodeBody,
  identityOnly,
  isEncodedBody,
  sendEncoded,
  sendTagged,
} from './encoding.ts';
export { errorAnswers, errorCodes } from './error-answers.ts';
export {
  type CallerRefusal,
  documentationUrl,
  type ErrorCode,
  errorCatalogue,
  ProtocolError,
} from './errors.ts';
export {
  type EventStreamOptions,
  type EventStreamSource,
  heartbeatMilliseconds,
  isEventStream,
  sendEventStream,
  setFirstEvent,
  trackEventStreams,
} from './event-stream.ts';
export { withFileTurn } from './file-turns.ts';
export { parseJsonBody, parseRecordLines } from './json-body.ts';
export { checkNames } from './known-names.ts';
export {
  EventLoopLag,
  EventLoopThrottle,
  eventLoopThrottle,
  KeyedSemaphore,
  LongWorkLimit,
  limits,
  longWorkLimit,
} from './limits/index.ts';
export { sendStream, toBody } from './long-bodies.ts';
export { makeInThread } from './make-in-thread.ts';
export { refuseOtherMethods, refuseOtherPaths } from './methods.ts';
export { translateMetricLabel } from './metric-names.ts';
export {
  type CallOutcome,
  isAborted,
  operationOf,
  otherOperation,
  outcomesOf,
} from './outcomes.ts';
export { queuePush } from './queue-push.ts';
export {
  type AnswerContext,
  createErrorHandler,
  describeRefusal,
  errorEnvelope,
  logIfInternalError,
  logInternalErrorsOnce,
  refusalOf,
  setRefusal,
  snakeCaseKeys,
  toSnakeCase,
  type WriteRefusal,
} from './refusals.ts';
export {
  clientNetworkOf,
  companyCallerOf,
  contactCallerOf,
  investorCallerOf,
  organisationIdsOf,
  signedInOf,
} from './request.ts';
export { accessEventResource, presentAccessEvent, presentActor } from './resources/access-event.ts';
export { accessRecordResource, presentOwnRecord } from './resources/access-record.ts';
export { accessRequestResource, presentAccessRequest } from './resources/access-request.ts';
export { accessTermsResource, presentTerms } from './resources/access-terms.ts';
export { accountResource, presentAccount } from './resources/account.ts';
export { apiKeyResource, presentApiKey } from './resources/api-key.ts';
export { companyResource, presentCompany } from './resources/company.ts';
export { accessRequestChangeResource, companyDataChangeResource } from './resources/event.ts';
export { instant } from './resources/fields.ts';
export { investorResource } from './resources/investor.ts';
export { metricResource, presentMetric } from './resources/metric.ts';
export { presentReceipt, receiptResource } from './resources/receipt.ts';
export { presentSource, sourceResource } from './resources/source.ts';
export {
  presentWebhookDelivery,
  presentWebhookEndpoint,
  presentWebhookTest,
  webhookDeliveryResource,
  webhookEndpointResource,
  webhookTestResource,
} from './resources/webhook.ts';
export { createRowsWriter, type RowsWriter, type Writer } from './rows-writer.ts';
export { clearSessionCookie, readSessionCookie, writeSessionCookie } from './session-cookie.ts';
export { negativeForms, readDigits, scanAmount, type TakeUnit } from './sheets/amounts.ts';
export { dateOfParts, resolveDate } from './sheets/dates.ts';
export { openSheet } from './sheets/file.ts';
export { companyOf } from './sheets/layout.ts';
export {
  questionAnswers,
  questionIds,
  readAnswers,
  type SheetAnswers,
  type SheetQuestion,
  type SheetQuestionId,
} from './sheets/questions.ts';
export { type ReadSheet, readSheet, type SheetRecord } from './sheets/read-sheet.ts';
export { RefusedFile } from './sheets/refused-file.ts';
export type { Sheet } from './sheets/sheet.ts';
export { sheetWords } from './sheets/words/index.ts';
export { type StaticContent, serveStatic } from './static-content.ts';
export { type Encode, writeBody, writeCsv, writeText } from './written-body.ts';
