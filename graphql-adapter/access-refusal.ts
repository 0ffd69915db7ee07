import type { AccessError, RefusalCode } from '#core';
import { describeWithNextStep, documentationUrl, type ErrorCode } from '#http';
import { consentCalls } from './errors.ts';
import { nameScopes } from './words.ts';

/** Excludes `invalid_api_key`: a revoked or expired key fails the whole operation with an error. */
export type AccessRefusalCode = Exclude<RefusalCode, 'invalid_api_key'> | 'metric_not_found';

export const refusalDescriptions: Readonly<Record<AccessRefusalCode, string>> = {
  insufficient_scope: 'The API key lacks the scope. Use a key that has it.',
  company_not_found: 'The company isn’t in your portfolio.',
  access_required:
    'The company hasn’t granted this. The message gives the reason and the next step: `requestAccess`, or `amendAccessRequest` if a live grant leaves out the scope or the metric. After a decline, talk to the company first.',
  access_pending: 'You asked the company, and it hasn’t answered yet. Wait for the answer.',
  access_revoked: 'The company has revoked its grant. Contact the company.',
  access_paused: 'The company has paused its grant. Read again after it resumes the grant.',
  metric_not_found: 'Access is granted, but the company has no data for this metric.',
};

export const isRefusalCode = (code: ErrorCode): code is AccessRefusalCode =>
  Object.hasOwn(refusalDescriptions, code);

/** A field without data is a normal result, not an error, so other fields keep their data. */
export class AccessRefusal {
  readonly code: AccessRefusalCode;
  readonly message: string;
  readonly documentationUrl: string;
  readonly accessRequestId: string | null;

  constructor(code: AccessRefusalCode, refusal: AccessError, publicUrl: string) {
    this.code = code;
    this.message = nameScopes(describeWithNextStep(refusal, consentCalls));
    this.documentationUrl = documentationUrl(code, publicUrl);
    this.accessRequestId = refusal.details.accessRequestId ?? null;
  }
}
