import type { ProgramName } from '../catalogue.ts';
import type { LoadKind, Measurement, Rates } from '../results.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import type { WorkloadName } from '../workloads.ts';

export interface Side {
  readonly workload: WorkloadName;
  readonly program: ProgramName;
  readonly load: LoadKind;
}

export type Figure =
  | 'requestsPerSecond'
  | 'p50'
  | 'p99'
  | 'cpu of program'
  | 'cpu of postgres'
  | 'memory';

/** The figure of each round, in order; empty when this was not measured. */
function figures({ measurements }: Rates, side: Side, figure: Figure): number[] {
  return measurements
    .filter(
      ({ workload, program, load }) =>
        workload === side.workload && program === side.program && load === side.load,
    )
    .sort((a, b) => a.round - b.round)
    .map((measurement) => read(measurement, figure));
}

function read({ result, cpu, memory }: Measurement, figure: Figure): number {
  switch (figure) {
    case 'requestsPerSecond':
      return result.requestsPerSecond;
    case 'cpu of program':
      return cpu?.program ?? Number.NaN;
    case 'cpu of postgres':
      return cpu?.postgres ?? Number.NaN;
    case 'memory':
      return memory ?? Number.NaN;
    default:
      return result.latency[figure];
  }
}

export function spread(rates: Rates, side: Side, figure: Figure): Spread | null {
  const values = figures(rates, side, figure);
  return values.length === 0 ? null : spreadOf(values);
}

/** Of what was measured in the same round, so that what slows the machine for a while slows both. */
export function ratio(rates: Rates, over: Side, under: Side, figure: Figure): Spread | null {
  const unders = figures(rates, under, figure);
  const values = figures(rates, over, figure).flatMap((value, index) => {
    const other = unders[index];
    return other === undefined ? [] : [value / other];
  });
  return values.length === 0 ? null : spreadOf(values);
}
