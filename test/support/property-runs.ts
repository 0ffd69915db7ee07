/** Whether everything is tried, as by .ci/run. */
export const isFull = process.env.FULL_TESTS !== undefined;
if (!isFull) {
  console.error(
    'SKIPPED: repetitions, other processes, browsers and PostgreSQL once more: FULL_TESTS is not set',
  );
}

/**
 * How often a property is tried: as often as it says where FULL_TESTS is set, as .ci/run does, else a quarter of
 * it, so that nobody has to wait long for all tests.
 */
export function propertyRuns(full: number): number {
  return isFull ? full : Math.ceil(full / 4);
}

/** Of cases that each take their time, every eighth, unless FULL_TESTS is set. */
export function someCases<Case>(cases: readonly Case[]): readonly Case[] {
  return isFull ? cases : cases.filter((_, index) => index % 8 === 0);
}
