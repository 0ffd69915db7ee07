import { type Html, html } from '../html.ts';
import type { Language } from '../messages/index.ts';

/*
 * The page contains each time in UTC, which is correct for all users. The script times.js replaces it with the user's
 * time zone and regional format.
 */

export const formatExactly = (instant: Date, { format }: Language): Html =>
  html`<time datetime="${instant.toISOString()}" data-time="exact">${format.dateTime(instant)}</time>`;

export const formatDay = (instant: Date, { format }: Language): Html =>
  html`<time datetime="${instant.toISOString()}" data-time="day" title="${format.dateTime(instant)}">${format.date(instant)}</time>`;

export const formatRelative = (instant: Date, now: Date, { format }: Language): Html =>
  html`<time datetime="${instant.toISOString()}" data-time="relative" title="${format.dateTime(instant)}">${format.relative(instant, now)}</time>`;

/** Replaces the placeholders of a message with markup. */
export function fillMessage(
  message: (...markup: string[]) => string,
  ...markup: readonly Html[]
): Html {
  const marks = markup.map((_, index) => `\u{e000}${index}\u{e001}`);
  const parts = message(...marks).split(/\u{e000}(\d+)\u{e001}/u);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : (markup[Number(part)] ?? '')))}`;
}

/** A date without a time is the same in each time zone. */
export const formatPeriod = (day: string): Html =>
  html`<time datetime="${day}" data-time="period">${day}</time>`;

export const formatDate = (day: string, { format }: Language): Html =>
  html`<time datetime="${day}" data-time="period">${format.date(new Date(day))}</time>`;
