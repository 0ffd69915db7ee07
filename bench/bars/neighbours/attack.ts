import type { HttpRequest } from '../../load/requests.ts';
import type { Party } from './parties.ts';

/** What one caller does to hold others up, bounded in time and in number. */
export interface Attack {
  readonly name: string;
  /** In one sentence, for the report. */
  readonly what: string;
  /** So much data was asked for that an answer may be longer than a megabyte. */
  readonly asksForMuch?: true;
  readonly needsOwnRedis?: true;
  /** Settings of the service that is attacked, beside the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Before the quiet seconds. */
  prepare?(world: World): Promise<void>;
  crews(world: World): Crew[];
  /** Together with the crews. */
  begin?(world: World): Promise<void>;
  end?(world: World): Promise<void>;
  /** What must hold beside the bars that are the same for every attack. */
  judge?(outcome: Outcome): Check[];
}

export interface World {
  /** Of the service. */
  readonly port: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Nobody else uses them. */
  readonly parties: readonly [Party, Party, Party];
  /** A smoke run takes a small part of each number. */
  atMost(count: number): number;
}

/** Connections that do the same. */
export interface Crew {
  readonly name: string;
  /** In turn, over and over. */
  readonly requests: readonly HttpRequest[];
  readonly connections: number;
  readonly maxRequests: number;
  /** Reads a few bytes of its answers a second. */
  readonly isSlow?: true;
  /** Opens event streams, and takes all that comes until the time is over. */
  readonly isStream?: true;
  /** Goes on without a pause when it is told that its budget is spent. */
  readonly isStubborn?: true;
  /** Text that is counted in the bodies of its answers. */
  readonly marker?: string;
}

/** What the attacker's process is told. */
export interface Orders {
  readonly port: number;
  readonly seconds: number;
  /** How long slow clients go on once each has the beginning of its answer. */
  readonly slowSeconds: number;
  readonly crews: readonly Crew[];
}

/** Stands among the statuses for a request that was never answered. */
export const noAnswer = 'no answer in time';

export interface Latencies {
  readonly reads: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** How often each answer came: `200` with what the tables say, or what else there was. */
  readonly answers: Readonly<Record<string, number>>;
}

/** What an attack came to. */
export interface Attacked {
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
  /** Lines of the log that are warnings or worse. */
  readonly warnings: number;
  readonly checks: readonly {
    readonly what: string;
    /** Null: more than none. */
    readonly most: number | null;
    readonly measured: number;
    readonly passed: boolean;
    /** Time or memory, which a busy machine can spoil. */
    readonly isOfMachine: boolean;
  }[];
}

export type CrewResult = Attacked['crews'][number];
export type Check = Attacked['checks'][number];
/** What was measured, before it is judged. */
export type Outcome = Omit<Attacked, 'checks'>;

export const isAtMost = (what: string, measured: number, most: number): Check => ({
  what,
  most,
  measured,
  passed: measured <= most,
  isOfMachine: false,
});

/** An attack that did nothing shows nothing. */
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

/** How often a crew was answered so. */
export const answered = (outcome: Outcome, crew: string, status: number): number =>
  crewOf(outcome, crew).statuses[status] ?? 0;

export const timesIn = (bytes: Buffer, text: string): number =>
  bytes.toString('latin1').split(text).length - 1;
