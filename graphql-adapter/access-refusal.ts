import type { AccessError, RefusalCode } from '#core';
import { documentationUrl, type ErrorCode, messageOf } from '#http';
import { calls } from './errors.ts';

/** A key that has ended is no matter of one field: it stays an error. */
type AccessRefusalCode = Exclude<RefusalCode, 'invalid_api_key'> | 'metric_not_found';

export const accessRefusalCodes = [
  'insufficient_scope',
  'company_not_found',
  'access_required',
  'access_pending',
  'access_revoked',
  'metric_not_found',
] as const satisfies readonly AccessRefusalCode[];

const codes: ReadonlySet<ErrorCode> = new Set(accessRefusalCodes);

export const isRefusalCode = (code: ErrorCode): code is AccessRefusalCode => codes.has(code);

/** Why a field has no data: an answer like any other, beside those of its neighbours. */
export class AccessRefusal {
  readonly code: AccessRefusalCode;
  readonly message: string;
  readonly documentationUrl: string;
  readonly accessRequestId: string | null;

  constructor(code: AccessRefusalCode, refusal: AccessError, publicUrl: string) {
    this.code = code;
    this.message = messageOf(refusal, calls);
    this.documentationUrl = documentationUrl(code, publicUrl);
    this.accessRequestId = refusal.details.accessRequestId ?? null;
  }
}
