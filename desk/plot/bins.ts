import type { ReadCounts, ReadSeries } from '#core';

/** What one bar of a plot stands for: a day, or the week that begins with it. */
export interface Bin extends ReadCounts {
  readonly day: string;
}

export interface Span {
  /** Days of UTC, both included. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** More bars cannot be told apart on a phone. */
const maxBars = 62;
const day = 86_400_000;

const numberOf = (text: string) => new Date(text).getTime() / day;

const daysOf = ({ firstDay, lastDay }: Span) => numberOf(lastDay) - numberOf(firstDay) + 1;

export const isByWeek = (span: Span): boolean => daysOf(span) > maxBars;

/** Every day of a span, or every week when there are too many days, also those without a read. */
export function toBins({ days }: Pick<ReadSeries, 'days'>, span: Span): Bin[] {
  const width = isByWeek(span) ? 7 : 1;
  const first = numberOf(span.firstDay);
  const byBin = Map.groupBy(days, (each) => Math.floor((numberOf(each.day) - first) / width));
  return Array.from({ length: Math.ceil(daysOf(span) / width) }, (_, index) => {
    const firstDay = new Date((first + index * width) * day).toISOString().slice(0, 10);
    return { day: firstDay, ...sumUp(byBin.get(index) ?? []) };
  });
}

/** Several series as one. */
export const joinSeries = (all: readonly ReadSeries[]): ReadSeries => ({
  ...sumUp(all),
  days: all.flatMap(({ days }) => days),
});

const sumUp = (all: readonly ReadCounts[]): ReadCounts => ({
  allowed: all.reduce((sum, { allowed }) => sum + allowed, 0),
  refused: all.reduce((sum, { refused }) => sum + refused, 0),
});
