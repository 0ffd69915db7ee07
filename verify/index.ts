export type { Failure, FailureReason } from './failure.ts';
export { type Completeness, describeCompleteness, type HeadPayload } from './head.ts';
export type { JwkSet } from './keys.ts';
export {
  type MetricPayload,
  type VerifiedMetric,
  type VerifyOptions,
  verifyMetric,
} from './metric.ts';
export {
  type ReceiptPayload,
  type ReceiptsOptions,
  type VerifiedReceipt,
  type VerifiedReceipts,
  verifyReceipt,
  verifyReceipts,
} from './receipt.ts';
