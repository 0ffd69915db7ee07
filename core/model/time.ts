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

/** Returns true if the end of a grant is in the future and can be expressed. */
export function isFutureEnd(instant: Date, now: Date): boolean {
  return instant > now && isExpressible(instant);
}

/**
 * Returns true if RFC 3339 and every store can express the time. They have no year 0 and no years of five digits, which
 * an offset can lead to.
 */
export function isExpressible(instant: Date): boolean {
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
