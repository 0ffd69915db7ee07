import type { AccessRecord } from '../model/consent/access-record.ts';
import type { GrantableScope, Scope } from '../model/consent/scopes.ts';
import type { Cursor } from '../model/cursor.ts';
import type { Protocol } from '../model/identity/caller.ts';
import type { Environment } from '../model/identity/investor.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';
import type { Day } from './statistics.ts';

interface NewestRecords {
  /** Included. */
  readonly since?: Date | undefined;
  /** Included. */
  readonly until?: Date | undefined;
  /** The newest records up to this number are returned. */
  readonly limit: number;
}

interface RecordsPage extends NewestRecords {
  /** Only records older than this position. */
  readonly before: Cursor | null;
  /** Only records down to this position, included. Null means no limit. */
  readonly downTo?: Cursor | null;
}

export interface RecordReader {
  /** Null for a contact. */
  readonly keyHint: string | null;
  /** Null for an API key, or if the investor has removed the contact. */
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
  /** A key of the other environment can also try to read, so the filter is needed. */
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
  /** The digests of the exports of earlier drops. Records can arrive after a drop. */
  readonly earlierExports: readonly string[];
}

/** Append-only: the repository must refuse to change or remove a record. */
export interface AccessRecords {
  /** Must commit the record before it resolves, so that the record survives a crash. */
  record(record: AccessRecord): Promise<void>;
  /**
   * Commits the record of a refusal shortly after the call, without a caller waiting. Must not throw, must not delay
   * `record`, and must not lose the record when the service is stopped. Equal waiting refusals become one record. If
   * too many wait, the newest is dropped and the loss is reported.
   */
  recordEventually(refusal: AccessRecord): void;
  /** Newest first. A caller waits for the result. */
  listOfInvestor(filter: InvestorRecords): Promise<AccessRecord[]>;
  /** Returns the names for each of the investor's records, with one statement. */
  nameOfInvestor(
    investorId: string,
    records: readonly Pick<AccessRecord, 'keyId' | 'contactId' | 'companyId'>[],
  ): Promise<RecordNames[]>;
  /** Newest first. For an operator, without a time limit. */
  listOfCompany(filter: CompanyRecords): Promise<NamedRecord[]>;
  /** Newest first. A caller waits for the result. */
  listReceived(filter: ReceivedRecords): Promise<ReceivedRecord[]>;
  /** Returns the position after the next `count` records, or null if there are fewer. */
  findCursor(
    list:
      | Pick<ReceivedRecords, 'companyId' | 'before'>
      | Pick<InvestorRecords, 'investorId' | 'scopes' | 'before'>,
    count: number,
  ): Promise<Cursor | null>;
  /** Lists the days that can be exported and dropped, oldest first. */
  listDays(): Promise<Day[]>;
  /**
   * Reads the records of a day, oldest first, in pages of a bounded size. Records that arrive meanwhile can be missing.
   *
   * @throws Refusal `access_log_day_changed` if the statistics don't contain all records of the day yet
   */
  readDay(day: Day): AsyncIterable<readonly NamedRecord[]>;
  /**
   * Drops a day and writes the entry of the settings log, in one transaction. If `entryOf` throws, the day stays.
   *
   * @throws Refusal `access_log_day_not_found`, and `access_log_day_changed` like `readDay`
   */
  dropDay(day: Day, entryOf: (found: FoundDay) => SettingsChange): Promise<void>;
}
