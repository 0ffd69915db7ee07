import { addDays } from '#core';
import type { Form } from './form.ts';

/**
 * A chosen end is the end of a UTC date, so a page can show it as a date. A confirmed end is a fixed instant.
 *
 * @param from the start for a number of days
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

export const toDay = (instant: Date): string => instant.toISOString().slice(0, 10);
