/**
 * How often a property is tried: as often as it says where FULL_PROPERTY_RUNS is set, as .ci/run does, else a quarter of
 * it, so that nobody has to wait long for all tests.
 */
export function propertyRuns(full: number): number {
  return process.env.FULL_PROPERTY_RUNS === undefined ? Math.ceil(full / 4) : full;
}
