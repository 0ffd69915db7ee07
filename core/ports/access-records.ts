import type { AccessRecord } from '../model/consent/access-record.ts';
import type { GrantableScope, Scope } from '../model/consent/scopes.ts';
import type { Cursor } from '../model/cursor.ts';
import type { Protocol } from '../model/identity/caller.ts';
import type { Environment } from '../model/identity/investor.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';
import type { Day } from './statistics.ts';

interface NewestRecords {
  readonly since?: Date | undefined;
  /** Only records up to and including this time. */
  readonly until?: Date | undefined;
  /** The maximum number of records. The newest records are returned. */
  readonly limit: number;
}

interface RecordsPage extends NewestRecords {
  readonly before: Cursor | null;
  /** Only records that aren't older than this position. Null means no limit. */
  readonly oldestCursor?: Cursor | null;
}

export interface RecordReader {
  /** Null if a contact read the data. */
  readonly keyHint: string | null;
  /** Null if an API key read the data, or if the investor has removed the contact. */
  readonly contactEmail: string | null;
}

export interface InvestorRecords extends RecordsPage {
  readonly investorId: string;
  /** Only reads that need one of these scopes. */
  readonly scopes: readonly Scope[];
  readonly companyId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly contactId?: string | undefined;
  readonly protocol?: Protocol | undefined;
  readonly outcome?: OutcomeFilter | undefined;
  readonly requestId?: string | undefined;
}

/** `refused` stands for any refusal. */
export type OutcomeFilter = AccessRecord['outcome'] | 'refused';

export interface RecordNames extends RecordReader {
  /** Null if the company was never in the investor's portfolio. */
  readonly company: KnownCompany | null;
}

export interface KnownCompany {
  readonly id: string;
  readonly name: string;
  readonly isInPortfolio: boolean;
}

export interface CompanyRecords extends NewestRecords {
  readonly companyId: string;
  readonly keyId?: string | undefined;
}

export interface ReceivedRecords extends RecordsPage {
  readonly companyId: string;
  /** Keys of the other environment can try to read the company, too. This filter leaves out their refused attempts. */
  readonly environment: Environment;
  readonly investorId?: string | undefined;
  readonly scope?: GrantableScope | undefined;
}

/** A record with the investor's name. The name is null if the investor no longer exists. */
export interface NamedRecord extends AccessRecord {
  readonly investorName: string | null;
}

export interface ReceivedRecord extends AccessRecord, RecordReader {
  readonly investorName: string;
}

export interface FoundDay {
  readonly records: number;
  /** The digests of earlier exports. Not empty if more records arrived after records were dropped. */
  readonly earlierExports: readonly string[];
}

/** Append-only: the repository must refuse to change or remove a record. */
export interface AccessRecords {
  /** Must commit the record before it resolves, so that the record survives a crash. */
  record(record: AccessRecord): Promise<void>;
  /**
   * Commits the record of a refusal shortly after the call, so that no caller waits for the commit. Must not throw and
   * must not delay `record`. Must commit all waiting records before the service stops. Equal refusals that wait become
   * one record. If too many refusals wait, the newest is dropped and the loss is reported.
   */
  recordEventually(refusal: AccessRecord): void;
  /** Lists records, newest first. The query has a time limit, because a caller waits for the result. */
  listOfInvestor(filter: InvestorRecords): Promise<AccessRecord[]>;
  /** Returns the names of the company and the reader of each record. Uses one SQL statement. */
  nameOfInvestor(
    investorId: string,
    records: readonly Pick<AccessRecord, 'keyId' | 'contactId' | 'companyId'>[],
  ): Promise<RecordNames[]>;
  /** Lists records, newest first. The query has no time limit, because only operators use it. */
  listOfCompany(filter: CompanyRecords): Promise<NamedRecord[]>;
  /** Lists records, newest first. The query has a time limit, because a caller waits for the result. */
  listReceived(filter: ReceivedRecords): Promise<ReceivedRecord[]>;
  /** Returns the position `count` records after `before`. Null if there are fewer records. */
  findCursor(
    list:
      | Pick<ReceivedRecords, 'companyId' | 'before'>
      | Pick<InvestorRecords, 'investorId' | 'scopes' | 'before'>,
    count: number,
  ): Promise<Cursor | null>;
  /** Lists the dates whose records can be exported and dropped, oldest first. */
  listDays(): Promise<Day[]>;
  /**
   * Reads the access records of one date, oldest first, in pages of limited size. Records that arrive during the call
   * can be missing.
   *
   * @throws Refusal `access_log_day_changed` if the statistics don't contain all records of the date yet
   */
  readDay(day: Day): AsyncIterable<readonly NamedRecord[]>;
  /**
   * Drops all access records of one date, and writes the entry of the settings log, in one transaction. If `entryOf`
   * throws, the records stay.
   *
   * @throws Refusal `access_log_day_not_found`, and `access_log_day_changed` in the same case as `readDay`
   */
  dropDay(day: Day, entryOf: (found: FoundDay) => SettingsChange): Promise<void>;
}
