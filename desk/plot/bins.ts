import type { ReadCounts, ReadSeries } from '#core';

/** A bar covers one day, or the week that starts on `day`. */
export interface Bin extends ReadCounts {
  readonly day: string;
}

export interface Span {
  /** UTC dates, both inclusive. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** On a phone, more bars would be too thin to distinguish. */
const maxBars = 62;
const day = 86_400_000;

const numberOf = (text: string) => new Date(text).getTime() / day;

const daysOf = ({ firstDay, lastDay }: Span) => numberOf(lastDay) - numberOf(firstDay) + 1;

export const isByWeek = (span: Span): boolean => daysOf(span) > maxBars;

/** Includes days and weeks without reads. */
export function toBins({ days }: Pick<ReadSeries, 'days'>, span: Span): Bin[] {
  const width = isByWeek(span) ? 7 : 1;
  const first = numberOf(span.firstDay);
  const byBin = Map.groupBy(days, (each) => Math.floor((numberOf(each.day) - first) / width));
  return Array.from({ length: Math.ceil(daysOf(span) / width) }, (_, index) => {
    const firstDay = new Date((first + index * width) * day).toISOString().slice(0, 10);
    return { day: firstDay, ...sumUp(byBin.get(index) ?? []) };
  });
}

export const joinSeries = (all: readonly ReadSeries[]): ReadSeries => ({
  ...sumUp(all),
  days: all.flatMap(({ days }) => days),
});

const sumUp = (all: readonly ReadCounts[]): ReadCounts => ({
  allowed: all.reduce((sum, { allowed }) => sum + allowed, 0),
  refused: all.reduce((sum, { refused }) => sum + refused, 0),
});
