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
import { firstEnd, type Invalid, readLimits, widestTerms } from './limits.ts';

export interface FormDecision {
  readonly decision: CompanyDecision;
  /** The version of the access request when the form was shown. */
  readonly version: string;
}

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
      const limits = readLimits(form, widestTerms(type, request));
      if ('field' in limits) return limits;
      return { type, scopes: readScopes(form), terms: limits.terms ?? noLimits };
    }
    case 'extend': {
      // A preset adds its days to the present end of the grant.
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
  const limits = readLimits(form, widestTerms('approve', request));
  if ('field' in limits) return limits;
  const read = readReason(form);
  if ('field' in read) return read;
  const chosen = readScopes(form);
  // An addition can ask only for wider limits. Then the form offers no scopes.
  const scopes = chosen.length === 0 && undecidedScopes(request).length === 0 ? undefined : chosen;
  const approval = { type: 'approve', scopes, terms: limits.terms ?? noLimits, ...read } as const;
  const until = form.text('until');
  if (until === 'keep') return approval;
  const expiresAt = until === 'first' ? firstEnd(request) : readEnd(form, now);
  return expiresAt === null ? { field: 'until' } : { ...approval, expiresAt };
}

const readScopes = (form: Form) => form.all('scopes').filter(isGrantableScope);

function readReason(form: Form): { readonly reason: string | null } | Invalid {
  const reason = form.text('reason') ?? null;
  const isReason = declineInput.shape.reason.safeParse(reason).success;
  return isReason ? { reason } : { field: 'reason' };
}
