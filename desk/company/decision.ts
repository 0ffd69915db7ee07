import {
  type AccessRequest,
  type CompanyDecision,
  type DecisionType,
  decisionTypes,
  declineInput,
  isGrantableScope,
} from '#core';
import { type Form, readEnd } from '../form.ts';

export interface FormDecision {
  readonly decision: CompanyDecision;
  /** The version of the access request when the form was shown. */
  readonly version: string;
}

export interface Invalid {
  readonly field: 'scopes' | 'until' | 'reason' | 'type';
}

/** Returns the decision, or the invalid field. The core checks whether the decision is possible. */
export function readDecision(
  form: Form,
  { expiresAt }: Pick<AccessRequest, 'expiresAt'>,
  now: Date,
): FormDecision | Invalid {
  const type = decisionTypes.find((each) => each === form.text('decision'));
  if (type === undefined) return { field: 'type' };
  const decision = readAs(type, form, type === 'extend' ? (expiresAt ?? now) : now);
  return 'field' in decision ? decision : { decision, version: form.text('version') ?? '' };
}

/** @param from the time to which a preset duration is added. For an extension, the grant's present expiry date */
function readAs(type: DecisionType, form: Form, from: Date): CompanyDecision | Invalid {
  if (type === 'decline' || type === 'revoke') {
    const reason = form.text('reason') ?? null;
    const isReason = declineInput.shape.reason.safeParse(reason).success;
    return isReason ? { type, reason } : { field: 'reason' };
  }
  const scopes = form.all('scopes').filter(isGrantableScope);
  if (type === 'approve' && form.text('until') === 'keep') return { type, scopes };
  const expiresAt = readEnd(form, from);
  if (expiresAt === null) return { field: 'until' };
  return type === 'approve' ? { type, scopes, expiresAt } : { type, expiresAt };
}
