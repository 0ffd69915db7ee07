import type { Figure, Results, Side } from '../results.ts';
import { type Spread, spreadOf } from '../statistics.ts';

/** Returns a figure for each round, in order. Returns an empty list if the figure wasn't measured. */
function figures({ measurements }: Results, side: Side, figure: Figure): number[] {
  return measurements
    .filter(
      ({ workload, program, load }) =>
        workload === side.workload && program === side.program && load === side.load,
    )
    .map((measurement) => measurement[figure] ?? Number.NaN);
}

export function spread(results: Results, side: Side, figure: Figure): Spread | null {
  const values = figures(results, side, figure);
  return values.length === 0 ? null : spreadOf(values);
}

/**
 * Compares two programs or workloads. Returns the ratio between their sums of the given figures. Uses only measurements
 * of the same round, because a temporary slowdown of the machine then affects both sides.
 */
export function ratio(
  results: Results,
  over: Side,
  under: Side,
  ...summed: readonly Figure[]
): Spread | null {
  const sums = (side: Side) => {
    const [first = [], ...others] = summed.map((figure) => figures(results, side, figure));
    return first.map((value, round) =>
      others.reduce((sum, values) => sum + (values[round] ?? Number.NaN), value),
    );
  };
  const unders = sums(under);
  const values = sums(over).flatMap((value, round) => {
    const other = unders[round];
    return other === undefined ? [] : [value / other];
  });
  return values.length === 0 ? null : spreadOf(values);
}

/** Formats a number with three significant digits and separators for thousands. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

export function formatSpread(spread: Spread | null, unit = ''): string {
  if (spread === null) return 'not measured';
  const { median, min, max } = spread;
  if (Number.isNaN(median)) return '–';
  const range = min === max ? '' : ` (${formatNumber(min)}–${formatNumber(max)})`;
  return `${formatNumber(median)}${unit}${range}`;
}
