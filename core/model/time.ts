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

export function isFutureEnd(instant: Date, now: Date): boolean {
  return instant > now && isExpressible(instant);
}

/** Returns true if the year is from 1 to 9999, as in RFC 3339. An offset can move a time outside these years. */
export function isExpressible(instant: Date): boolean {
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
