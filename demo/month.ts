/** A month of the demo's history, in UTC. */
export interface Month {
  /** Its last day, `YYYY-MM-DD`. */
  readonly period: string;
  /** Its last second. */
  readonly asOf: string;
  /** When its books were read: in the first minutes of the next month. */
  readonly syncedAt: string;
}

const minute = 60_000;
const second = 1_000;

/** The given number of months that were over when today's month began, oldest first. */
export function completeMonths(count: number, today: Date): Month[] {
  return Array.from({ length: count }, (_, index) => {
    const next = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - count + 1 + index);
    const asOf = new Date(next - second).toISOString();
    return { period: asOf.slice(0, 10), asOf, syncedAt: new Date(next + minute).toISOString() };
  });
}
