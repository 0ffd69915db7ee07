import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProgramName } from './catalogue.ts';
import type { Observed } from './checks/verify.ts';
import type { Sizes } from './data/sizes.ts';
import type { Machine } from './machine.ts';
import type { AtRest } from './rest.ts';
import type { WorkloadName } from './workloads.ts';

/** Closed loops with many connections and with one, and half of our own maximum in an open loop. */
export type LoadKind = 'many' | 'one' | 'half';

/** A program, a kind of work and a load. */
export interface Side {
  readonly workload: WorkloadName;
  readonly program: ProgramName;
  readonly load: LoadKind;
}

/**
 * Latencies in milliseconds, processor time in microseconds per request, and the maximum memory in MiB since the start.
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

/** All input of the report, one entry per file. */
export interface Results {
  readonly machine: Machine;
  readonly command: string;
  readonly isSmoke: boolean;
  readonly sizes: Sizes;
  readonly connections: number;
  readonly observed: readonly (Pick<Side, 'workload' | 'program'> & Observed)[];
  /** In the order of their rounds. */
  readonly measurements: readonly Measurement[];
  readonly atRest: AtRest | null;
}

/** One line per measurement, with three digits. */
export function writeResults(file: string, { measurements, ...results }: Results): void {
  const lines = measurements.map((one) =>
    JSON.stringify(one, (_name, value) =>
      typeof value === 'number' ? Number(value.toPrecision(4)) : value,
    ),
  );
  mkdirSync(dirname(file), { recursive: true });
  const head = JSON.stringify({ ...results, measurements: [] }, null, 1);
  writeFileSync(
    file,
    head.replace(/"measurements": \[\]/, `"measurements": [\n${lines.join(',\n')}]`),
  );
}

export function readResults(file: string): Results | null {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}
