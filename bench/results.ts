import type { ProgramName } from './catalogue.ts';
import type { Sizes } from './data/sizes.ts';
import type { Machine } from './machine.ts';
import type { AtRest } from './rest.ts';
import type { WorkloadName } from './workloads.ts';

/** `many` and `one` are closed loops. `half` is an open loop at half of the service's maximum rate. */
export type LoadKind = 'many' | 'one' | 'half';

export interface Side {
  readonly workload: WorkloadName;
  readonly program: ProgramName;
  readonly load: LoadKind;
}

/**
 * The measured figures. Latencies are in milliseconds, processor time is in microseconds per request, and peak memory
 * is in MiB. `bytes` is the mean size of a body.
 */
export type Figure =
  | 'requestsPerSecond'
  | 'p50'
  | 'p99'
  | 'programCpu'
  | 'postgresCpu'
  | 'memory'
  | 'bytes';

export type Measurement = Side & {
  readonly rate: number | null;
} & Readonly<Record<Figure, number | null>>;

/** All data that the report needs. */
export interface Results {
  readonly machine: Machine;
  readonly command: string;
  readonly isSmoke: boolean;
  readonly sizes: Sizes;
  readonly connections: number;
  /** The measurements, in the order of their rounds. */
  readonly measurements: readonly Measurement[];
  readonly atRest: AtRest | null;
}
