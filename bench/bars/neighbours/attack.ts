import type { HttpRequest } from '../../load/requests.ts';
import type { Party } from './parties.ts';

/** The acts of one caller to delay others, limited in time and in number. */
export interface Attack {
  readonly name: string;
  /** One sentence for the report. */
  readonly what: string;
  /** True if an answer may be longer than a megabyte, since it contains so much data. */
  readonly asksForMuch?: true;
  readonly needsOwnRedis?: true;
  /** Settings of the attacked service, in addition to the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs before the quiet seconds. */
  prepare?(world: World): Promise<void>;
  crews(world: World): Crew[];
  /** Runs together with the crews. */
  begin?(world: World): Promise<void>;
  end?(world: World): Promise<void>;
  /** Bars of this attack, in addition to those of every attack. */
  judge?(outcome: Outcome): Check[];
}

export interface World {
  /** The port of the service. */
  readonly port: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Investors that no other part of the run uses. */
  readonly parties: readonly [Party, Party, Party];
  /** Returns a small part of the number in a smoke run. */
  atMost(count: number): number;
}

/** Connections that do the same. */
export interface Crew {
  readonly name: string;
  /** Sent in turn, over and over. */
  readonly requests: readonly HttpRequest[];
  readonly connections: number;
  readonly maxRequests: number;
  /** Reads a few bytes of its answers per second. */
  readonly isSlow?: true;
  /** Opens event streams, and reads them until the time is over. */
  readonly isStream?: true;
  /** Continues without a pause when its budget is spent. */
  readonly isStubborn?: true;
  /** A text to count in the bodies of its answers. */
  readonly marker?: string;
}

/** The input of the attacker's process. */
export interface Orders {
  readonly port: number;
  readonly seconds: number;
  /** How long slow clients continue after each has the beginning of its answer. */
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
  /** The number of each kind of answer: `200` if it equals the tables, otherwise the status or the defect. */
  readonly answers: Readonly<Record<string, number>>;
}

/** The result of an attack. */
export interface Attacked {
  readonly name: string;
  readonly what: string;
  readonly asksForMuch: boolean;
  readonly seconds: number;
  /** The neighbour's reads before, during and after the attack. */
  readonly quiet: Latencies;
  readonly attacked: Latencies;
  readonly after: Latencies;
  /** False if the service ended on its own. */
  readonly survived: boolean;
  /** The resident size of the service in MiB. */
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number };
  /** The requests and answers of each group of the attacker's connections. */
  readonly crews: readonly {
    readonly name: string;
    readonly sent: number;
    readonly statuses: Readonly<Record<string, number>>;
    readonly largestAnswer: number;
    readonly bytes: number;
    /** The number of occurrences of the marker in the answers. */
    readonly marked: number;
  }[];
  /** The points charged to the attacker's first key, at most its limit. Below, the rows of this key in the tables. */
  readonly points: number;
  readonly rows: {
    readonly records: number;
    readonly requests: number;
    readonly mutations: number;
  };
  /** Log lines with a warning or an error. */
  readonly warnings: number;
  readonly checks: readonly {
    readonly what: string;
    /** Null if the bar is "more than zero". */
    readonly most: number | null;
    readonly measured: number;
    readonly passed: boolean;
    /** True for time and memory, which a busy machine can spoil. */
    readonly isOfMachine: boolean;
  }[];
}

export type CrewResult = Attacked['crews'][number];
export type Check = Attacked['checks'][number];
/** The measurements before their judgement. */
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

/** The number of a crew's answers with this status. */
export const answered = (outcome: Outcome, crew: string, status: number): number =>
  crewOf(outcome, crew).statuses[status] ?? 0;

export const timesIn = (bytes: Buffer, text: string): number =>
  bytes.toString('latin1').split(text).length - 1;
