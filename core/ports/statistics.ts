import type { AccessRecord } from '../model/consent/access-record.ts';
import type { GrantableScope, Scope } from '../model/consent/scopes.ts';
import type { Environment, Investor } from '../model/identity/investor.ts';

/** A UTC date, `YYYY-MM-DD`. */
export type Day = string;

export interface ReadCounts {
  readonly allowed: number;
  /** The number of refusals. One access record can stand for several equal refusals, and each of them is counted. */
  readonly refused: number;
}

export interface ReadsOfDay extends ReadCounts {
  readonly day: Day;
}

export interface ReadsQuestion {
  readonly companyId: string;
  readonly environment: Environment;
  /** The first and the last day are included. */
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly investorId?: string | undefined;
  readonly scope?: GrantableScope | undefined;
  /**
   * The maximum number of investors, and of metrics, that are listed separately. The ones with the most reads are
   * listed. With equal numbers of reads, they are sorted by ID or key.
   */
  readonly most: number;
}

/** The same reads in two groupings: by investor and date, and by metric and date. Leaves out dates without reads. */
export interface CountedReads {
  readonly byInvestor: readonly (ReadsOfDay & {
    /** Null in the row with the sum of all other investors. */
    readonly investor: Pick<Investor, 'id' | 'name'> | null;
  })[];
  readonly byMetric: readonly (ReadsOfDay & {
    /** Null in the row of all other metrics. A null `key` means that the reads aren't about a single metric. */
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
  /** `recentCount` counts only reads from this time on. */
  readonly recentSince: Date;
  /** The maximum number of records that are counted per scope. The newest records are counted. */
  readonly limit: number;
}

export interface CountedUse {
  /** Null if a contact made the reads. */
  readonly keyId: string | null;
  readonly contactId: string | null;
  readonly outcome: AccessRecord['outcome'];
  readonly count: number;
  readonly recentCount: number;
}

/**
 * Statistics about the access records of a company. The records of a past date are counted once and stored. Records of
 * other dates are counted during each call. If a record arrives after its date was counted, the statistics lack this
 * record.
 */
export interface AccessStatistics {
  countReads(question: ReadsQuestion): Promise<CountedReads>;
  /** Returns the usage of each access request, in any order. */
  readUsage(companyId: string, accessRequestIds: readonly string[]): Promise<GrantUsage[]>;
  /** Counts the committed records up to the limit. `isCut` is true if there are more records. */
  countUses(
    question: UsesQuestion,
  ): Promise<{ readonly uses: readonly CountedUse[]; readonly isCut: boolean }>;
  /**
   * Counts the records of the oldest uncounted date. A date is counted an hour after its end or later. Any number of
   * processes can call this method at once. Returns true if another date may wait to be counted.
   */
  countNextDay(now: Date): Promise<boolean>;
  /**
   * Returns the dates whose counts differ from their records, oldest first. A record that arrived after the counting
   * also makes a difference. Leaves out dates without records, because their records may have been dropped.
   */
  listMiscountedDays(): Promise<readonly Day[]>;
}
