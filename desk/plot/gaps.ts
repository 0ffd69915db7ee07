const timeOf = ({ period }: Periodic): number => new Date(period).getTime();

interface Periodic {
  readonly period: string;
}

/**
 * If a distance is longer than the usual distance times this factor, a period is missing. Months and quarters differ by
 * a few days, but a missing period at least doubles the distance.
 */
const tolerance = 1.5;

/** Daily values often skip weekends and holidays, so shorter gaps are ignored. */
const shortestGap = 4 * 86_400_000;

const distancesOf = (values: readonly Periodic[]): number[] =>
  values.slice(1).map((value, index) => {
    const previous = values[index];
    return previous === undefined ? 0 : timeOf(value) - timeOf(previous);
  });

/**
 * Returns the longest normal distance between two periods, in milliseconds. A longer one means a missing period. The
 * usual distance is the median, so months, quarters and days need no setting. Expects the oldest value first.
 */
export function longestStep(values: readonly Periodic[]): number {
  const distances = distancesOf(values);
  const usual = distances.toSorted((one, other) => one - other)[(distances.length - 1) >> 1] ?? 0;
  return Math.max(shortestGap, tolerance * usual);
}

/** Expects the oldest value first. */
export function splitAtGaps<Value extends Periodic>(values: readonly Value[]): Value[][] {
  const distances = distancesOf(values);
  const longest = longestStep(values);
  const parts: Value[][] = [];
  for (const [index, value] of values.entries()) {
    const isAfterGap = index === 0 || (distances[index - 1] ?? 0) > longest;
    if (isAfterGap) parts.push([value]);
    else parts.at(-1)?.push(value);
  }
  return parts;
}
