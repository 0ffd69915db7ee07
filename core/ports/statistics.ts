import type { AccessRecord } from '../model/consent/access-record.ts';
import type { GrantableScope, Scope } from '../model/consent/scopes.ts';
import type { Environment, Investor } from '../model/identity/investor.ts';

/** A UTC date, `YYYY-MM-DD`. */
export type Day = string;

export interface ReadCounts {
  readonly allowed: number;
  /** Equal refusals in one access record count separately. */
  readonly refused: number;
}

export interface ReadsOfDay extends ReadCounts {
  readonly day: Day;
}

export interface ReadsQuestion {
  readonly companyId: string;
  readonly environment: Environment;
  /** Both days are included. */
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly investorId?: string | undefined;
  readonly scope?: GrantableScope | undefined;
  /**
   * The number of investors and of metrics that are listed separately. Those with the most reads come first, then by ID
   * or key.
   */
  readonly most: number;
}

/** The same reads counted twice: by investor and day, and by metric and day. Days without reads are absent. */
export interface CountedReads {
  readonly byInvestor: readonly (ReadsOfDay & {
    /** Null for all other investors together. */
    readonly investor: Pick<Investor, 'id' | 'name'> | null;
  })[];
  readonly byMetric: readonly (ReadsOfDay & {
    /** Null for all other metrics together. A null key stands for reads that don't concern one metric. */
    readonly metric: { readonly key: string | null } | null;
  })[];
}

export interface GrantUsage {
  readonly accessRequestId: string;
  readonly reads: number;
  readonly lastReadAt: Date | null;
}

export interface UsesQuestion {
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  readonly since: Date;
  /** Reads from this time on are also counted separately. */
  readonly recentSince: Date;
  /** The largest number of counted records per scope. The newest are counted. */
  readonly limit: number;
}

export interface CountedUse {
  /** Null for a contact. */
  readonly keyId: string | null;
  readonly contactId: string | null;
  readonly outcome: AccessRecord['outcome'];
  readonly count: number;
  readonly recentCount: number;
}

/**
 * Counts of the access records of a company. Each finished day is counted once. The records of other days are counted
 * when a caller asks. A record that arrives after its day was counted is missing.
 */
export interface AccessStatistics {
  countReads(question: ReadsQuestion): Promise<CountedReads>;
  /** Returns the usage of each request to the company, in any order. */
  readUsage(companyId: string, accessRequestIds: readonly string[]): Promise<GrantUsage[]>;
  /** Counts every committed record. `isCut` is true if the limit left out records. */
  countUses(
    question: UsesQuestion,
  ): Promise<{ readonly uses: readonly CountedUse[]; readonly isCut: boolean }>;
  /**
   * Counts the oldest uncounted day, from an hour after its end. Any number of processes can call it at once. Returns
   * true if there can be another day to count.
   */
  countNextDay(now: Date): Promise<boolean>;
  /**
   * Returns the days whose counts differ from their records, oldest first. Records that arrived after the count make a
   * difference. Days without records are left out, because their records may have been dropped.
   */
  listMiscountedDays(): Promise<readonly Day[]>;
}
