import { type Html, html } from '../html.ts';
import type { Language } from '../messages/index.ts';

/*
 * The page says each instant in UTC, which is true for whoever reads it and wherever. The script times.js writes it anew
 * in the time zone and the way of writing of the reader.
 */

/** An instant, exactly. */
export const formatExactly = (instant: Date, { format }: Language): Html =>
  html`<time datetime="${instant.toISOString()}" data-time="exact">${format.dateTime(instant)}</time>`;

/** The day of an instant, where its time tells nothing. */
export const formatDay = (instant: Date, { format }: Language): Html =>
  html`<time datetime="${instant.toISOString()}" data-time="day" title="${format.dateTime(instant)}">${format.date(instant)}</time>`;

/** An instant in words, and exactly for whoever points at it or reads it out. */
export const formatRelative = (instant: Date, now: Date, { format }: Language): Html =>
  html`<time datetime="${instant.toISOString()}" data-time="relative" title="${format.dateTime(instant)}">${format.relative(instant, now)}</time>`;

/** A message whose parts that are given are no text but markup, each in its place. */
export function sayWith(message: (...given: string[]) => string, ...given: readonly Html[]): Html {
  const marks = given.map((_, index) => `\u{e000}${index}\u{e001}`);
  const parts = message(...marks).split(/\u{e000}(\d+)\u{e001}/u);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : (given[Number(part)] ?? '')))}`;
}

/** A day that has no time, such as that of a period: the same in every time zone. */
export const formatPeriod = (day: string): Html =>
  html`<time datetime="${day}" data-time="period">${day}</time>`;

/** A day of UTC, as the language writes it. */
export const formatDate = (day: string, { format }: Language): Html =>
  html`<time datetime="${day}" data-time="period">${format.date(new Date(day))}</time>`;
