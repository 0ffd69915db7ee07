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

/** A day that has no time, such as that of a period: the same in every time zone. */
export const formatPeriod = (day: string): Html => html`<time datetime="${day}">${day}</time>`;
