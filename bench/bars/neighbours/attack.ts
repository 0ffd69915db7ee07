import type { HttpRequest } from '../../load/requests.ts';
import type { Party } from './parties.ts';

/** An attempt of one caller to delay other callers. */
export interface Attack {
  readonly name: string;
  readonly what: string;
  /** True if an answer may be longer than a megabyte, because the attack requests that much data. */
  readonly asksForMuch?: true;
  readonly needsOwnRedis?: true;
  /** Additional settings of the attacked service. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs before the quiet phase, in which only the neighbour sends requests. */
  prepare?(world: World): Promise<void>;
  crews(world: World): Crew[];
  /** Runs at the same time as the crews. */
  begin?(world: World): Promise<void>;
  end?(world: World): Promise<void>;
  /** Returns additional checks for this attack. */
  judge?(outcome: Outcome): Check[];
}

export interface World {
  readonly port: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Investors that no other part of the run uses. */
  readonly parties: readonly [Party, Party, Party];
  /** Returns the number, or a smaller number in a smoke run. */
  atMost(count: number): number;
}

/** A group of connections that send the same requests. */
export interface Crew {
  readonly name: string;
  /** The requests that the connections send in turn, again and again. */
  readonly requests: readonly HttpRequest[];
  readonly connections: number;
  readonly maxRequests: number;
  /** True if the crew reads only a few bytes of its answers per second. */
  readonly isSlow?: true;
  /** True if the crew opens event streams and reads them until the end of the attack. */
  readonly isStream?: true;
  /** True if the crew doesn't wait after a 429. */
  readonly isStubborn?: true;
  /** A text that is counted in the bodies of the crew's answers. */
  readonly marker?: string;
}

/** The input of the attacking process. */
export interface Orders {
  readonly port: number;
  readonly seconds: number;
  /** The time that slow clients continue after all their answers have begun. */
  readonly slowSeconds: number;
  readonly crews: readonly Crew[];
}

/** The status that is reported for a request without an answer. */
export const noAnswer = 'no answer in time';

export interface Latencies {
  readonly reads: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /**
   * The number of answers by status. If an answer has no status or has wrong data, it is counted by a description of
   * the defect.
   */
  readonly answers: Readonly<Record<string, number>>;
}

export interface Attacked {
  readonly name: string;
  readonly what: string;
  readonly asksForMuch: boolean;
  readonly seconds: number;
  /** The latencies of the neighbour's reads before, during and after the attack. */
  readonly quiet: Latencies;
  readonly attacked: Latencies;
  readonly after: Latencies;
  /** False if the service crashed. */
  readonly survived: boolean;
  /** The resident size of the service in MiB. */
  readonly memory: { readonly before: number; readonly peak: number };
  readonly crews: readonly {
    readonly name: string;
    readonly sent: number;
    readonly statuses: Readonly<Record<string, number>>;
    readonly largestAnswer: number;
    /** The number of occurrences of the marker in the answers. */
    readonly marked: number;
  }[];
  /** The points charged to the first party's key. The number is at most the key's limit. */
  readonly points: number;
  /** The number of rows that the attack added for the first party. */
  readonly rows: {
    readonly records: number;
    readonly requests: number;
    readonly mutations: number;
  };
  /** The number of log lines with a warning or an error. */
  readonly warnings: number;
  readonly checks: readonly {
    readonly what: string;
    /** The maximum. Null if the measured number must be more than zero. */
    readonly most: number | null;
    readonly measured: number;
    readonly passed: boolean;
    /** True for times and memory, because they depend on other work on the machine. */
    readonly isOfMachine: boolean;
  }[];
}

export type CrewResult = Attacked['crews'][number];
export type Check = Attacked['checks'][number];
export type Outcome = Omit<Attacked, 'checks'>;

export const isAtMost = (what: string, measured: number, most: number): Check => ({
  what,
  most,
  measured,
  passed: measured <= most,
  isOfMachine: false,
});

/** Returns a check that fails if the attack had no effect at all. */
export const happened = (what: string, count: number): Check => ({
  what,
  most: null,
  measured: count,
  passed: count > 0,
  isOfMachine: false,
});

export const crewOf = ({ crews }: Outcome, name: string): CrewResult => {
  const crew = crews.find((one) => one.name === name);
  if (crew === undefined) throw new Error(`there is no crew ${name}`);
  return crew;
};

export const answered = (outcome: Outcome, crew: string, status: number): number =>
  crewOf(outcome, crew).statuses[status] ?? 0;

export const timesIn = (bytes: Buffer, text: string): number =>
  bytes.toString('latin1').split(text).length - 1;
