import { addDays } from '#core';
import type { Form } from './form.ts';

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
