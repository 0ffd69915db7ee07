import type { AccessRecord } from '../access-record.ts';
import type { Scope } from '../scopes.ts';

export interface AccessRecordFilter {
  readonly companyId?: string | undefined;
  readonly investorId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Only records of reads that needed one of these. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The first instant, included. */
  readonly since?: Date | undefined;
  /** At most so many, the newest. */
  readonly limit: number;
}

/** Append-only: the store itself must refuse to change or remove a record. */
export interface AccessRecords {
  /** Must have committed the record when it resolves, so that it outlives any process and machine. */
  commit(record: AccessRecord): Promise<void>;
  /** Commits the record shortly; nobody waits for it. Must neither throw nor lose it when the service is stopped. */
  note(record: AccessRecord): void;
  /** Newest first. */
  list(filter: AccessRecordFilter): Promise<AccessRecord[]>;
  /** Removes whole months, all that ended before the instant; answers them as `YYYY-MM`, oldest first. */
  dropMonthsBefore(instant: Date): Promise<string[]>;
}
