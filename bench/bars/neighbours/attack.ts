import type { Neighbours } from '../../results.ts';
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
  prepare?(stage: Stage): Promise<void>;
  crews(stage: Stage): Crew[];
  /** Together with the crews. */
  begin?(stage: Stage): Promise<void>;
  end?(stage: Stage): Promise<void>;
  /** What must hold beside the bars that are the same for every attack. */
  judge?(outcome: Outcome): Check[];
}

export interface Stage {
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
  readonly requests: readonly AttackRequest[];
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

export interface AttackRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Absent: no credential. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
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

type Attacked = Neighbours['attacks'][number];
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
