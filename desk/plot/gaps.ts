const timeOf = ({ period }: { readonly period: string }): number => new Date(period).getTime();

/** The lengths of months and quarters differ by a few days. A gap with a missing period is at least twice as long. */
const tolerance = 1.5;

/** Daily values often skip weekends and holidays. */
const shortestGap = 4 * 86_400_000;

/**
 * Splits values where periods are missing. Expects the oldest first. Takes the median distance between two values as
 * the usual distance, so months, quarters and days need no setting.
 */
export function splitAtGaps<Value extends { readonly period: string }>(
  values: readonly Value[],
): Value[][] {
  const distances = values.slice(1).map((value, index) => {
    const previous = values[index];
    return previous === undefined ? 0 : timeOf(value) - timeOf(previous);
  });
  const usual = distances.toSorted((one, other) => one - other)[(distances.length - 1) >> 1] ?? 0;
  const longest = Math.max(shortestGap, tolerance * usual);
  const parts: Value[][] = [];
  for (const [index, value] of values.entries()) {
    const isAfterGap = index === 0 || (distances[index - 1] ?? 0) > longest;
    if (isAfterGap) parts.push([value]);
    else parts.at(-1)?.push(value);
  }
  return parts;
}
