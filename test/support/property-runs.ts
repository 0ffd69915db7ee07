/**
 * How often a property is tried: as often as it says where FULL_TESTS is set, as .ci/run does, else a quarter of
 * it, so that nobody has to wait long for all tests.
 */
export function propertyRuns(full: number): number {
  return process.env.FULL_TESTS === undefined ? Math.ceil(full / 4) : full;
}
