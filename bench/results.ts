import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramName } from './catalogue.ts';
import type { Observed } from './checks/verify.ts';
import type { CpuCost } from './cpu.ts';
import type { Sizes } from './data/sizes.ts';
import type { LoadResult } from './load/load.ts';
import type { Machine } from './machine.ts';
import type { WorkloadName } from './workloads.ts';

/** Raw results, a JSON file for each script; the report is made from these alone. */
export interface Run {
  readonly machine: Machine;
  readonly command: string;
  readonly isSmoke: boolean;
}

/** Closed loops with many connections and with one; half of our own maximum in an open loop. */
export type LoadKind = 'many' | 'one' | 'half';

export interface Measurement {
  readonly round: number;
  readonly workload: WorkloadName;
  readonly program: ProgramName;
  readonly load: LoadKind;
  readonly rate: number | null;
  readonly result: LoadResult;
  readonly cpu: CpuCost | null;
  /** How large the program was at most since its start, in MiB; absent in older results. */
  readonly memory?: number;
}

export interface Rates extends Run {
  readonly sizes: Sizes;
  readonly connections: number;
  readonly seconds: number;
  readonly warmupSeconds: number;
  readonly observed: readonly {
    readonly workload: WorkloadName;
    readonly program: ProgramName;
    readonly observed: Observed;
  }[];
  readonly measurements: readonly Measurement[];
}

export interface Growth extends Run {
  readonly samples: number;
  readonly stages: readonly {
    readonly requests: number;
    readonly points: number;
    readonly costs: readonly {
      readonly what: string;
      /** Round trips in microseconds. */
      readonly p50: number;
      readonly p90: number;
      /** Pages that one such statement touches. */
      readonly pages: number;
    }[];
  }[];
}

interface Revocation extends Run {
  readonly processes: number;
  readonly connections: number;
  readonly revocations: number;
  readonly seconds: number;
  readonly reads: number;
  /** Reads that began after the commit of the revocation, and how many of them were answered with data. */
  readonly readsAfterCommit: number;
  readonly answeredAfterCommit: number;
  /** Reads that were over before the revocation began, and were refused all the same. */
  readonly refusedBefore: number;
  readonly failures: Readonly<Record<string, number>>;
}

interface Kills extends Run {
  readonly kills: number;
  readonly connections: number;
  readonly reads: number;
  readonly missing: number;
}

interface Memory extends Run {
  readonly seconds: number;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Resident size in MiB, once a second. */
  readonly samples: readonly number[];
}

export interface Generator extends Run {
  readonly comparisons: readonly {
    readonly tool: string;
    readonly requestsPerSecond: number;
    readonly p50: number;
    readonly p99: number;
  }[];
  readonly stall: {
    readonly milliseconds: number;
    readonly rate: number;
    readonly seconds: number;
    readonly openLoopP99: number;
    readonly openLoopRequests: number;
    readonly closedLoopP99: number;
  };
}

interface Latencies {
  readonly reads: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** How often each answer came: `200` with what the tables say, or what else there was. */
  readonly answers: Readonly<Record<string, number>>;
}

export interface Neighbours extends Run {
  /** Reads of the neighbour a second. */
  readonly rate: number;
  readonly attacks: readonly {
    readonly name: string;
    readonly what: string;
    readonly asksForMuch: boolean;
    readonly seconds: number;
    /** The neighbour's reads before, while and after it was attacked. */
    readonly quiet: Latencies;
    readonly attacked: Latencies;
    readonly after: Latencies;
    /** False: the service ended by itself. */
    readonly survived: boolean;
    /** Resident size of the service in MiB. */
    readonly memory: { readonly before: number; readonly peak: number; readonly after: number };
    /** What each group of the attacker's connections did and got. */
    readonly crews: readonly {
      readonly name: string;
      readonly sent: number;
      readonly statuses: Readonly<Record<string, number>>;
      readonly largestAnswer: number;
      readonly bytes: number;
      /** How often a text that is looked for stood in the answers. */
      readonly marked: number;
    }[];
    /** Charged to the attacker's first key, at most its limit; and what this key left in the tables. */
    readonly points: number;
    readonly rows: {
      readonly records: number;
      readonly requests: number;
      readonly mutations: number;
    };
    readonly log: { readonly lines: number; readonly bytes: number };
    readonly warnings: { readonly lines: number; readonly bytes: number };
    readonly checks: readonly {
      readonly what: string;
      /** Null: more than none. */
      readonly most: number | null;
      readonly measured: number;
      readonly passed: boolean;
      /** Time or memory, which a busy machine can spoil. */
      readonly isOfMachine: boolean;
    }[];
  }[];
}

export interface Results {
  readonly rates: Rates;
  /** The workloads of histories, measured in a run of their own. */
  readonly histories: Rates;
  readonly growth: Growth;
  readonly revocation: Revocation;
  readonly kills: Kills;
  readonly memory: Memory;
  readonly generator: Generator;
  readonly neighbours: Neighbours;
}

export function writeResult<K extends keyof Results>(folder: string, name: K, result: Results[K]) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 1)}\n`);
}

export function readResults(folder: string): Partial<Results> {
  const names = [
    'rates',
    'histories',
    'growth',
    'revocation',
    'kills',
    'memory',
    'neighbours',
    'generator',
  ] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const file = join(folder, `${name}.json`);
      return existsSync(file) ? [[name, JSON.parse(readFileSync(file, 'utf8'))]] : [];
    }),
  );
}
