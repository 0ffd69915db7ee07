import {
  type AccessRequest,
  type AccessTerms,
  type Approval,
  awaitsDecision,
  coveringTerms,
} from '#core';
import { readLimits, type SentLimits } from '../components/limit-fields.ts';
import type { Form } from '../form.ts';

export interface Invalid {
  readonly field: 'scopes' | 'keys' | 'from' | 'until' | 'reason' | 'type';
}

export type LimitingDecision = 'approve' | 'narrow';

/** Null means no limits. */
export const widestTerms = (type: LimitingDecision, request: AccessRequest): AccessTerms | null =>
  type === 'narrow' ? request.approvedTerms : coveringTerms(request);

export const readTerms = (form: Form, type: LimitingDecision, request: AccessRequest): SentLimits =>
  readLimits(form, widestTerms(type, request));

/** Returns the first of two approvals, while the second one is missing. */
export const firstApproval = (request: AccessRequest): Approval | null =>
  (awaitsDecision(request) && request.approvals[0]) || null;

export function firstEnd(request: AccessRequest): Date | undefined {
  const end = firstApproval(request)?.expiresAt;
  return end == null ? undefined : new Date(end);
}
