const earliest = '1970-01-01';

/** Returns today's date in another year. Use it only in comparisons: 29 February may not exist in that year. */
const shiftYears = (now: Date, years: number): string =>
  `${now.getUTCFullYear() + years}${dateOf(now).slice(4)}`;

const dateOf = (instant: Date): string => instant.toISOString().slice(0, 10);

export function findPeriodProblem(period: string, now: Date): string | null {
  if (period < earliest) return `is before ${earliest}`;
  return period > shiftYears(now, 1) ? 'is more than one year ahead' : null;
}

export function markPeriod(period: string, now: Date): 'future' | 'old' | null {
  if (period > dateOf(now)) return 'future';
  return period < shiftYears(now, -10) ? 'old' : null;
}

export const isBeforeEnd = (instant: Date, period: string): boolean => dateOf(instant) < period;
