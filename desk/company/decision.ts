import {
  type AccessRequest,
  type CompanyDecision,
  type DecisionType,
  decisionTypes,
  declineInput,
  isGrantableScope,
  noLimits,
  undecidedScopes,
} from '#core';
import { type Form, readEnd } from '../form.ts';
import { firstEnd, type Invalid, readTerms } from './limits.ts';

export interface FormDecision {
  readonly decision: CompanyDecision;
  readonly version: string;
}

/** A decision that the user confirms on a second page. A pause can be undone at once, so it needs no confirmation. */
export type ReviewedType = Exclude<DecisionType, 'pause' | 'resume'>;

export const needsReview = (type: DecisionType): type is ReviewedType =>
  type !== 'pause' && type !== 'resume';

/** Returns the decision, or the invalid field. The core checks whether the decision is possible. */
export function readDecision(
  form: Form,
  request: AccessRequest,
  now: Date,
): FormDecision | Invalid {
  const type = decisionTypes.find((each) => each === form.text('decision'));
  if (type === undefined) return { field: 'type' };
  const decision = readAs(type, form, request, now);
  return 'field' in decision ? decision : { decision, version: form.text('version') ?? '' };
}

function readAs(
  type: DecisionType,
  form: Form,
  request: AccessRequest,
  now: Date,
): CompanyDecision | Invalid {
  switch (type) {
    case 'approve':
      return readApproval(form, request, now);
    case 'narrow': {
      const read = readTerms(form, type, request);
      return 'field' in read
        ? read
        : { type, scopes: readScopes(form), terms: read.terms ?? noLimits };
    }
    case 'extend': {
      const expiresAt = readEnd(form, request.expiresAt ?? now);
      return expiresAt === null ? { field: 'until' } : { type, expiresAt };
    }
    case 'decline':
    case 'revoke': {
      const read = readReason(form);
      return 'field' in read ? read : { type, ...read };
    }
    default:
      return { type };
  }
}

function readApproval(form: Form, request: AccessRequest, now: Date): CompanyDecision | Invalid {
  const limits = readTerms(form, 'approve', request);
  if ('field' in limits) return limits;
  const read = readReason(form);
  if ('field' in read) return read;
  const expiresAt = form.text('until') === 'keep' ? firstEnd(request) : readEnd(form, now);
  if (expiresAt === null) return { field: 'until' };
  // If the investor asks only for wider limits, the form offers no scopes.
  const scopes = undecidedScopes(request).length === 0 ? undefined : readScopes(form);
  return { type: 'approve', scopes, terms: limits.terms ?? noLimits, expiresAt, ...read };
}

const readScopes = (form: Form) => form.all('scopes').filter(isGrantableScope);

function readReason(form: Form): { readonly reason: string | null } | Invalid {
  const reason = form.text('reason') ?? null;
  const isReason = declineInput.shape.reason.safeParse(reason).success;
  return isReason ? { reason } : { field: 'reason' };
}
