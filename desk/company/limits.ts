import {
  type AccessRequest,
  type AccessTerms,
  type Approval,
  awaitsDecision,
  coveringTerms,
  fillTerms,
  isMetricKey,
  namedTerms,
  termsInput,
} from '#core';
import type { Form } from '../form.ts';

export interface Invalid {
  readonly field: 'scopes' | 'keys' | 'from' | 'until' | 'reason' | 'type';
}

export type LimitingDecision = 'approve' | 'narrow';

/** Returns the widest limits that the company can choose. Null means no limits. */
export const widestTerms = (type: LimitingDecision, request: AccessRequest): AccessTerms | null =>
  type === 'narrow' ? request.approvedTerms : coveringTerms(request);

/** Returns the first of two approvals, while the second one is missing. */
export const firstApproval = (request: AccessRequest): Approval | null =>
  (awaitsDecision(request) && request.approvals[0]) || null;

/** Returns undefined if the first approval has the default end, and null without a first approval. */
export function firstEnd({ approvals: [first] }: AccessRequest): Date | undefined | null {
  if (first === undefined) return null;
  return first.expiresAt === null ? undefined : new Date(first.expiresAt);
}

/** The values of the fields, as the user sent them or as the form proposes them. */
export interface LimitFields {
  readonly which: 'all' | 'some';
  readonly keys: readonly string[];
  readonly from: string;
  readonly use: string;
}

export const sentLimits = (form: Form): LimitFields => ({
  which: form.text('metrics') === 'some' ? 'some' : 'all',
  keys: form.all('keys').filter(isMetricKey),
  from: form.text('from') ?? '',
  use: form.text('use') ?? 'ongoing',
});

export const proposedLimits = (
  terms: AccessTerms | null,
  companyKeys: readonly string[],
): LimitFields => ({
  which: terms?.metricKeys ? 'some' : 'all',
  keys: terms?.metricKeys ?? companyKeys,
  from: terms?.historyFrom ?? '',
  use: terms?.use ?? 'ongoing',
});

/**
 * Reads the limits of a form. A field that is absent or empty means the widest limit. The core checks whether the limits
 * are within the widest ones.
 */
export function readLimits(
  form: Form,
  widest: AccessTerms | null,
): { readonly terms: AccessTerms | null } | Invalid {
  const { which, keys, from } = sentLimits(form);
  if (which === 'some' && keys.length === 0) return { field: 'keys' };
  const { success, data } = termsInput.safeParse({
    metricKeys: which === 'some' ? keys : null,
    historyFrom: from || null,
    use: form.text('use'),
  });
  if (!success) return { field: 'from' };
  return { terms: fillTerms(namedTerms(data), widest) };
}
