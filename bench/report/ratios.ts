import type { Figure, Results, Side } from '../results.ts';
import { type Spread, spreadOf } from '../statistics.ts';

/** The figure of each round, in order. Empty if it was not measured. */
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

/** Compares measurements of the same round, so that a temporary slowdown of the machine affects both. */
export function ratio(
  results: Results,
  over: Side,
  under: Side,
  ...added: readonly Figure[]
): Spread | null {
  const sums = (side: Side) => {
    const [first = [], ...others] = added.map((figure) => figures(results, side, figure));
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
