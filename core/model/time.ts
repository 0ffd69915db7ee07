const millisecondsPerDay = 86_400_000;

export function addDays(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * millisecondsPerDay);
}

export function addMilliseconds(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds);
}

export function earlierOf(one: Date, other: Date): Date {
  return new Date(Math.min(one.getTime(), other.getTime()));
}

export const isSameInstant = (first: Date, second: Date | null): boolean =>
  first.getTime() === second?.getTime();

/** Whether an end that somebody has chosen is one: it lies in the future, and can be expressed. */
export function isFutureEnd(instant: Date, now: Date): boolean {
  return instant > now && isExpressible(instant);
}

/**
 * Whether RFC 3339 and every store can express the instant: they have neither a year 0 nor one of five digits, which
 * an offset can lead to. An invalid date cannot be expressed either.
 */
export function isExpressible(instant: Date): boolean {
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
