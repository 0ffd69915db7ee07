const millisecondsPerDay = 86_400_000;

export function addDays(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * millisecondsPerDay);
}

export function addMilliseconds(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds);
}
