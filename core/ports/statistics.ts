import type { AccessRecord } from '../model/consent/access-record.ts';
import type { GrantableScope, Scope } from '../model/consent/scopes.ts';
import type { Environment, Investor } from '../model/identity/investor.ts';

/** A day of UTC, `YYYY-MM-DD`. */
export type Day = string;

/** How many reads there were. */
export interface ReadCounts {
  readonly allowed: number;
  /** An access record may stand for several alike. */
  readonly refused: number;
}

export interface ReadsOfDay extends ReadCounts {
  readonly day: Day;
}

/** The reads of a company, over whole days. */
export interface ReadsQuestion {
  readonly companyId: string;
  /** Only reads of investors of this environment. */
  readonly environment: Environment;
  /** Both included. */
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly investorId?: string | undefined;
  readonly scope?: GrantableScope | undefined;
  /** How many investors, and how many metrics, are told apart: those of the most reads, equal ones by id or key. */
  readonly most: number;
}

/** The same reads twice: by investor and by metric, each by day. A day without a read is left out. */
export interface CountedReads {
  readonly byInvestor: readonly (ReadsOfDay & {
    /** Null: all others together. */
    readonly investor: Pick<Investor, 'id' | 'name'> | null;
  })[];
  readonly byMetric: readonly (ReadsOfDay & {
    /** Null: all others together. A null key: reads of no one metric. */
    readonly metric: { readonly key: string | null } | null;
  })[];
}

/** How a grant was used. */
export interface GrantUsage {
  readonly accessRequestId: string;
  readonly reads: number;
  /** Null: never. */
  readonly lastReadAt: Date | null;
}

/** What an investor asked for since an instant. */
export interface UsesQuestion {
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  readonly since: Date;
  /** From here on it is told apart. */
  readonly lately: Date;
  /** Of each scope, at most so many of the newest records are counted. */
  readonly limit: number;
}

/** How often a key or a person got one answer. */
export interface CountedUse {
  /** Null: a person asked. */
  readonly keyId: string | null;
  readonly contactId: string | null;
  readonly outcome: AccessRecord['outcome'];
  readonly count: number;
  readonly lately: number;
}

/**
 * Counts of the access records of a company. Finished days are counted once; the records of all other days are counted
 * when a caller asks. A record that arrives after its day was counted is missing.
 */
export interface AccessStatistics {
  countReads(question: ReadsQuestion): Promise<CountedReads>;
  /** One for each of the requests that is to the company; in any order. */
  readUsage(companyId: string, accessRequestIds: readonly string[]): Promise<GrantUsage[]>;
  /** Counts every record from its commit on. `isCut`: there are more records than were counted. */
  countUses(
    question: UsesQuestion,
  ): Promise<{ readonly uses: readonly CountedUse[]; readonly isCut: boolean }>;
  /**
   * Counts the oldest day that isn't counted, from an hour after its end. Any number of processes may call it at once.
   * Returns whether there may be another day to count.
   */
  countNextDay(now: Date): Promise<boolean>;
  /**
   * The days whose counts differ from their records, oldest first. A record that arrived after its day was counted is such
   * a difference. A day without records isn't, because its records may have been dropped.
   */
  listMiscountedDays(): Promise<readonly Day[]>;
}
