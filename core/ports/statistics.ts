import type { AccessRecord } from '../model/consent/access-record.ts';
import type { GrantableScope, Scope } from '../model/consent/scopes.ts';
import type { Environment, Investor } from '../model/identity/investor.ts';

/** A UTC date, `YYYY-MM-DD`. */
export type Day = string;

/** Numbers of reads. */
export interface ReadCounts {
  readonly allowed: number;
  /** One access record can stand for several equal refusals. */
  readonly refused: number;
}

export interface ReadsOfDay extends ReadCounts {
  readonly day: Day;
}

/** A question about the reads of a company on whole days. */
export interface ReadsQuestion {
  readonly companyId: string;
  /** Only reads of investors of this environment. */
  readonly environment: Environment;
  /** Both days included. */
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly investorId?: string | undefined;
  readonly scope?: GrantableScope | undefined;
  /** The number of investors and of metrics that are listed separately: those with the most reads, then by ID or key. */
  readonly most: number;
}

/** The same reads counted twice: by investor and day, and by metric and day. Days without reads are absent. */
export interface CountedReads {
  readonly byInvestor: readonly (ReadsOfDay & {
    /** Null for all others together. */
    readonly investor: Pick<Investor, 'id' | 'name'> | null;
  })[];
  readonly byMetric: readonly (ReadsOfDay & {
    /** Null for all others together. A null key means reads that don't concern one metric. */
    readonly metric: { readonly key: string | null } | null;
  })[];
}

/** The use of a grant. */
export interface GrantUsage {
  readonly accessRequestId: string;
  readonly reads: number;
  /** Null if the grant was never used. */
  readonly lastReadAt: Date | null;
}

/** A question about an investor's reads since a time. */
export interface UsesQuestion {
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  readonly since: Date;
  /** Reads from this time on are counted separately, too. */
  readonly recentSince: Date;
  /** Counts at most this many of the newest records per scope. */
  readonly limit: number;
}

/** The number of equal results for one key or person. */
export interface CountedUse {
  /** Null for a person. */
  readonly keyId: string | null;
  readonly contactId: string | null;
  readonly outcome: AccessRecord['outcome'];
  readonly count: number;
  readonly recentCount: number;
}

/**
 * Counts of the access records of a company. Finished days are counted once; the records of all other days are counted
 * when a caller asks. A record that arrives after its day was counted is missing.
 */
export interface AccessStatistics {
  countReads(question: ReadsQuestion): Promise<CountedReads>;
  /** Returns the usage of each request that is to the company, in any order. */
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
