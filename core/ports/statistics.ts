import type { AccessRecord } from '../model/consent/access-record.ts';
import type { GrantableScope, Scope } from '../model/consent/scopes.ts';
import type { Environment, Investor } from '../model/identity/investor.ts';

/** A UTC date, `YYYY-MM-DD`. */
export type Day = string;

export interface ReadCounts {
  readonly allowed: number;
  /** The number of refusals. Each of the equal refusals in one access record is counted. */
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
   * The number of investors and of metrics that are listed separately. Those with the most reads are listed. Equal
   * numbers are sorted by ID or key.
   */
  readonly most: number;
}

/**
 * The same reads, counted in two ways: by investor and date, and by metric and date. Dates without reads are absent.
 */
export interface CountedReads {
  readonly byInvestor: readonly (ReadsOfDay & {
    /** Null for all other investors together. */
    readonly investor: Pick<Investor, 'id' | 'name'> | null;
  })[];
  readonly byMetric: readonly (ReadsOfDay & {
    /** Null for all other metrics together. A null `key` means reads that don't concern a single metric. */
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
  /** The maximum number of records that are counted per scope. The newest records are counted. */
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
 * Statistics about the access records of a company. The records of a past date are counted once and stored. Records of
 * other dates are counted during each call. A record that arrives after its date was counted is missing.
 */
export interface AccessStatistics {
  countReads(question: ReadsQuestion): Promise<CountedReads>;
  /** Returns the usage of each access request, in any order. */
  readUsage(companyId: string, accessRequestIds: readonly string[]): Promise<GrantUsage[]>;
  /** Counts every committed record. `isCut` is true if the limit left out records. */
  countUses(
    question: UsesQuestion,
  ): Promise<{ readonly uses: readonly CountedUse[]; readonly isCut: boolean }>;
  /**
   * Counts the records of the oldest uncounted date. A date is counted an hour after its end or later. Any number of
   * processes can call this method at once. Returns true if another date may wait to be counted.
   */
  countNextDay(now: Date): Promise<boolean>;
  /**
   * Returns the dates whose counts differ from their records, oldest first. A record that arrived after the count makes
   * a difference, too. Leaves out dates without records, because their records may have been dropped.
   */
  listMiscountedDays(): Promise<readonly Day[]>;
}
