export const isFull = process.env.FULL_TESTS !== undefined;
if (!isFull) {
  console.error(
    'SKIPPED: repetitions, most tests of PostgreSQL and Redis, other processes and browsers: FULL_TESTS is not set',
  );
}

/** The number of runs of a property-based test. A run without FULL_TESTS has a quarter of them, to save time. */
export function propertyRuns(full: number): number {
  return isFull ? full : Math.ceil(full / 4);
}

/** Returns every eighth of the slow cases, or all of them with FULL_TESTS set. */
export function someCases<Case>(cases: readonly Case[]): readonly Case[] {
  return isFull ? cases : cases.filter((_, index) => index % 8 === 0);
}
