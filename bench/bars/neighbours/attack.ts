import type { HttpRequest } from '../../load/requests.ts';
import type { Party } from './parties.ts';

/** An attack: one caller tries to delay other callers. */
export interface Attack {
  readonly name: string;
  readonly what: string;
  /** True if the attack requests more than a megabyte of data. The check of the response size is then omitted. */
  readonly asksForMuch?: true;
  readonly needsOwnRedis?: true;
  /** Additional settings of the attacked service. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs before the measurement. A quiet phase with only the neighbour's requests follows. */
  prepare?(world: World): Promise<void>;
  crews(world: World): Crew[];
  /** Starts further work, which runs at the same time as the crews. */
  begin?(world: World): Promise<void>;
  end?(world: World): Promise<void>;
  /** Returns checks that only this attack needs. */
  judge?(outcome: Outcome): Check[];
}

export interface World {
  readonly port: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Investors that only this attack uses. */
  readonly parties: readonly [Party, Party, Party];
  /** Returns the given number. In a smoke run, returns a smaller number. */
  atMost(count: number): number;
}

/** A crew: a group of connections that send the same HTTP requests. */
export interface Crew {
  readonly name: string;
  /** The HTTP requests. The connections send them in turn, again and again. */
  readonly requests: readonly HttpRequest[];
  readonly connections: number;
  readonly maxRequests: number;
  /** True if the connections read only a few bytes of their responses per second. */
  readonly isSlow?: true;
  /** True if the connections open event streams and read them until the attack ends. */
  readonly isStream?: true;
  /** True if the connections continue at once after a 429, without a pause. */
  readonly isStubborn?: true;
  /** A text to count in the bodies of the responses. */
  readonly marker?: string;
}

/** The input of the attacking process, which sends the HTTP requests. */
export interface Orders {
  readonly port: number;
  readonly seconds: number;
  /** How long slow clients continue after all their responses have begun, in seconds. */
  readonly slowSeconds: number;
  readonly crews: readonly Crew[];
}

/** Reported instead of a status if an HTTP request gets no response. */
export const noAnswer = 'no answer in time';

export interface Latencies {
  readonly reads: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** The number of responses by status. A defect, such as wrong data, counts under its description. */
  readonly answers: Readonly<Record<string, number>>;
}

export interface Attacked {
  readonly name: string;
  readonly what: string;
  readonly asksForMuch: boolean;
  readonly seconds: number;
  /** The latencies of the neighbour's reads: before the attack (`quiet`), during the attack, and after the attack. */
  readonly quiet: Latencies;
  readonly attacked: Latencies;
  readonly after: Latencies;
  /** False if the service crashed. */
  readonly survived: boolean;
  /** The resident memory of the service in MiB, before the attack and at its highest. */
  readonly memory: { readonly before: number; readonly peak: number };
  readonly crews: readonly {
    readonly name: string;
    readonly sent: number;
    readonly statuses: Readonly<Record<string, number>>;
    readonly largestAnswer: number;
    /** How often the marker of this crew occurs in its responses. */
    readonly marked: number;
  }[];
  /** The points that were charged to the key of the first investor, at most the key's rate limit. */
  readonly points: number;
  /** The number of table rows that the attack added for the first investor. */
  readonly rows: {
    readonly records: number;
    readonly requests: number;
    readonly mutations: number;
  };
  /** The number of warnings and errors in the service's log. */
  readonly warnings: number;
  readonly checks: readonly {
    readonly what: string;
    /** The maximum of the measured number. Null if the number must be above zero. */
    readonly most: number | null;
    readonly measured: number;
    readonly passed: boolean;
    /** True if the number also depends on other work on the machine, such as a time or a memory size. */
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

/** Returns a check that fails if the attack had no effect at all, so that a broken attack is noticed. */
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
