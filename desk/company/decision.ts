import {
  type AccessRequest,
  addDays,
  type CompanyDecision,
  type DecisionType,
  decisionTypes,
  declineInput,
  isGrantableScope,
} from '#core';
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

/**
 * An end is that of a day in UTC, so that it can be said as a date. Once confirmed it is an instant that stays the same.
 *
 * @param from what a number of days is counted from
 */
export function readEnd(form: Form, from: Date): Date | null {
  const exact = form.text('expires_at');
  if (exact !== undefined) return toDate(exact);
  const until = form.text('until') ?? '';
  if (/^[1-9]\d{0,4}$/.test(until))
    return toDate(`${toDay(addDays(from, Number(until)))}${endOfDay}`);
  const date = form.text('date');
  return until === 'date' && date !== undefined && /^\d{4}-\d\d-\d\d$/.test(date)
    ? toDate(`${date}${endOfDay}`)
    : null;
}

const endOfDay = 'T23:59:59.999Z';

function toDate(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** The day in UTC, as the field of a form has it. */
export const toDay = (instant: Date): string => instant.toISOString().slice(0, 10);
