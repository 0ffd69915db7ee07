import type { AccessRecord } from '../access-record.ts';
import type { Scope } from '../scopes.ts';

interface Newest {
  /** The first instant, included. */
  readonly since?: Date | undefined;
  /** At most so many, the newest. */
  readonly limit: number;
}

/** What the keys of an investor asked for. */
export interface InvestorRecords extends Newest {
  readonly investorId: string;
  /** Only records of reads that needed one of these. */
  readonly scopes: readonly Scope[];
  readonly companyId?: string | undefined;
}

/** What was asked for of a company. */
export interface CompanyRecords extends Newest {
  readonly companyId: string;
  readonly keyId?: string | undefined;
  /** The last instant, included. */
  readonly until?: Date | undefined;
}

/** Append-only: the store itself must refuse to change or remove a record. */
export interface AccessRecords {
  /** Must have committed the record when it resolves, so that it outlives any process and machine. */
  record(record: AccessRecord): Promise<void>;
  /**
   * Commits the record of a refusal shortly; nobody waits for it. Must not throw, must not hold up `record`, and must not
   * lose it when the service is stopped. Those that may be folded are folded as long as they wait. When too many wait,
   * the newest is dropped, and that is told.
   */
  recordEventually(refusal: AccessRecord): void;
  /** Newest first, for a caller who waits. */
  listOfInvestor(filter: InvestorRecords): Promise<AccessRecord[]>;
  /** Newest first, for an operator: however long it takes. */
  listOfCompany(filter: CompanyRecords): Promise<AccessRecord[]>;
  /** Removes whole months, all that ended before the instant; answers them as `YYYY-MM`, oldest first. */
  dropMonthsBefore(instant: Date): Promise<string[]>;
}
