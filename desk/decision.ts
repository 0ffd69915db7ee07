import {
  type AccessRequest,
  type GrantableScope,
  isFutureEnd,
  isGrantableScope,
  maxReasonLength,
} from '#core';
import type { Form } from './form.ts';

export const decisionTypes = ['approve', 'decline', 'revoke', 'extend'] as const;

export type DecisionType = (typeof decisionTypes)[number];

/** What somebody wants to do with a request, as the form tells it. */
export interface Decision {
  readonly type: DecisionType;
  readonly scopes: readonly GrantableScope[];
  readonly expiresAt: Date | null;
  readonly reason: string | null;
  /** That of the request that was shown beside the form. */
  readonly version: string;
}

/** Presets of the end, in days. */
export const presets = [30, 90, 365] as const;

const day = 86_400_000;

/** A decision as its form sends it, or the field that must be mended. */
export function readDecision(
  form: Form,
  request: Pick<AccessRequest, 'expiresAt'>,
  now: Date,
): Decision | { readonly invalid: 'scopes' | 'until' | 'reason' | 'type' } {
  const type = decisionTypes.find((each) => each === form.text('decision'));
  if (type === undefined) return { invalid: 'type' };
  const scopes = form.all('scopes').filter(isGrantableScope);
  if (type === 'approve' && scopes.length === 0) return { invalid: 'scopes' };
  const earliest = type === 'extend' ? (request.expiresAt ?? now) : now;
  const expiresAt = readEnd(form, earliest);
  const needsEnd = type === 'extend' || (type === 'approve' && form.text('until') !== 'keep');
  if (needsEnd && (expiresAt === null || !isFutureEnd(expiresAt, earliest))) {
    return { invalid: 'until' };
  }
  const reason = form.text('reason') ?? null;
  if (reason !== null && reason.length > maxReasonLength) return { invalid: 'reason' };
  return {
    type,
    scopes,
    expiresAt: needsEnd ? expiresAt : null,
    reason,
    version: form.text('version') ?? '',
  };
}

/**
 * An end is that of a day in UTC, so that it can be said as a date. Once confirmed it is an instant that stays the same.
 *
 * @param from what the presets are counted from: the present end where a grant is to last longer
 */
export function readEnd(form: Form, from: Date): Date | null {
  const exact = form.text('expires_at');
  if (exact !== undefined) return toDate(exact);
  const until = form.text('until');
  const preset = presets.find((days) => String(days) === until);
  if (preset !== undefined) return endOfDay(new Date(from.getTime() + preset * day));
  const date = form.text('date');
  return until === 'date' && date !== undefined && /^\d{4}-\d\d-\d\d$/.test(date)
    ? toDate(`${date}T23:59:59.999Z`)
    : null;
}

function toDate(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

function endOfDay(instant: Date): Date {
  return new Date(`${instant.toISOString().slice(0, 10)}T23:59:59.999Z`);
}
