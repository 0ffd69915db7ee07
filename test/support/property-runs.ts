/**
 * How often a property is tried: as often as it says where FULL_TESTS is set, as .ci/run does, else a quarter of
 * it, so that nobody has to wait long for all tests.
 */
export function propertyRuns(full: number): number {
  return process.env.FULL_TESTS === undefined ? Math.ceil(full / 4) : full;
}

/** Of cases that each take their time, every eighth, unless FULL_TESTS is set. */
export function someCases<Case>(cases: readonly Case[]): readonly Case[] {
  return process.env.FULL_TESTS === undefined ? cases.filter((_, index) => index % 8 === 0) : cases;
}
