import type { HttpRequest } from '../../load/requests.ts';
import type { Party } from './parties.ts';

/** An attempt of one caller to delay others. */
export interface Attack {
  readonly name: string;
  readonly what: string;
  /** True if an answer may be longer than a megabyte, because the request asks for that much data. */
  readonly asksForMuch?: true;
  readonly needsOwnRedis?: true;
  /** Additional settings of the attacked service. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs before the quiet phase. */
  prepare?(world: World): Promise<void>;
  crews(world: World): Crew[];
  /** Runs together with the crews. */
  begin?(world: World): Promise<void>;
  end?(world: World): Promise<void>;
  /** Additional bars of this attack. */
  judge?(outcome: Outcome): Check[];
}

export interface World {
  readonly port: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Investors that no other part of the run uses. */
  readonly parties: readonly [Party, Party, Party];
  /** Reduces the number in a smoke run. */
  atMost(count: number): number;
}

/** A group of connections that send the same requests. */
export interface Crew {
  readonly name: string;
  /** The connections send these in turn, over and over. */
  readonly requests: readonly HttpRequest[];
  readonly connections: number;
  readonly maxRequests: number;
  /** Reads a few bytes of its answers per second. */
  readonly isSlow?: true;
  /** Opens event streams and reads them until the end of the attack. */
  readonly isStream?: true;
  /** Sends without a pause after a 429. */
  readonly isStubborn?: true;
  /** A text to count in the bodies of its answers. */
  readonly marker?: string;
}

/** The input of the attacking process. */
export interface Orders {
  readonly port: number;
  readonly seconds: number;
  /** The time that slow clients go on after every answer has begun. */
  readonly slowSeconds: number;
  readonly crews: readonly Crew[];
}

/** The status of a request without an answer. */
export const noAnswer = 'no answer in time';

export interface Latencies {
  readonly reads: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** The number of answers by status, or by defect if there is no status or the data is wrong. */
  readonly answers: Readonly<Record<string, number>>;
}

export interface Attacked {
  readonly name: string;
  readonly what: string;
  readonly asksForMuch: boolean;
  readonly seconds: number;
  /** The neighbour's reads before, during and after the attack. */
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
  /** The points charged to the first party's key, at most its limit. */
  readonly points: number;
  /** The new rows of the first party. */
  readonly rows: {
    readonly records: number;
    readonly requests: number;
    readonly mutations: number;
  };
  /** The number of log lines with a warning or an error. */
  readonly warnings: number;
  readonly checks: readonly {
    readonly what: string;
    /** Null if the bar is more than zero. */
    readonly most: number | null;
    readonly measured: number;
    readonly passed: boolean;
    /** True for times and memory, because they depend on other work of the machine. */
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

/** A check that fails if the attack had no effect at all. */
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
