import type { RawBuilder } from 'kysely';
import { addDays } from '#core';
import { sql } from '../../connections/store.ts';

/**
 * PostgreSQL takes long to plan a statement over all partitions, even if the statement reads few rows. So lists are
 * read in windows of time, newest first. Each window is longer than the previous one. Most lists need only the first
 * window.
 */
const firstDays = 2;
const widening = 16;
/** Windows reach back at most this number of days. One last window contains all older records. */
const maxWindowDays = 1_000;

/** Both times are inclusive. Undefined means no bound. */
export interface Window {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

/**
 * Returns the time as a literal, so that generic plans can exclude partitions. A year before 1 or after 9999 can't be
 * written this way, so such a time becomes a parameter.
 */
export function instantText(instant: Date): RawBuilder<Date> {
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999
    ? sql`${sql.lit(instant.toISOString())}::timestamptz`
    : sql`${instant}::timestamptz`;
}

export function* windowsOf({ since, until }: Window, now = new Date()): Generator<Window> {
  const start = until ?? now;
  let end = until;
  for (let days = firstDays; days < maxWindowDays; days *= widening) {
    const begin = addDays(start, -days);
    if (Number.isNaN(begin.getTime()) || (since !== undefined && begin <= since)) break;
    yield { since: begin, until: end };
    end = new Date(begin.getTime() - 1);
  }
  yield { since, until: end };
}

export async function listInWindows<Item>(
  bounds: Window,
  limit: number,
  read: (window: Window, limit: number) => Promise<Item[]>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (const window of windowsOf(bounds)) {
    found.push(...(await read(window, limit - found.length)));
    if (found.length >= limit) break;
  }
  return found;
}

type Instant = Date | undefined;

export const latest = (one: Instant, other: Instant): Instant =>
  one && other ? (one > other ? one : other) : (one ?? other);

export const earliest = (one: Instant, other: Instant): Instant =>
  one && other ? (one < other ? one : other) : (one ?? other);
