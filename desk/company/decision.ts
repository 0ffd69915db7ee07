import {
  type AccessRequest,
  type CompanyDecision,
  type DecisionType,
  decisionTypes,
  declineInput,
  isGrantableScope,
} from '#core';
import { readEnd } from '../end-field.ts';
import type { Form } from '../form.ts';

/** What somebody wants to do with a request, as the form tells it. */
export interface FormDecision {
  readonly decision: CompanyDecision;
  /** That of the request that was shown beside the form. */
  readonly version: string;
}

/** Which field of a form that was sent must be mended. */
export interface Invalid {
  readonly field: 'scopes' | 'until' | 'reason' | 'type';
}

/** A decision as its form sends it, or the field that cannot be read. Whether it is possible is for the core to say. */
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

/** @param from what the presets of the end are counted from: the present end where a grant is to last longer */
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
