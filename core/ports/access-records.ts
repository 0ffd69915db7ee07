import type { AccessRecord } from '../model/consent/access-record.ts';
import type { GrantableScope, Scope } from '../model/consent/scopes.ts';
import type { Cursor } from '../model/cursor.ts';
import type { Protocol } from '../model/identity/caller.ts';
import type { Environment } from '../model/identity/investor.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';
import type { Day } from './statistics.ts';

interface NewestRecords {
  /** The first instant, included. */
  readonly since?: Date | undefined;
  /** At most so many, the newest. */
  readonly limit: number;
}

/** Who asked, by name. */
export interface RecordReader {
  /** Null when a person asked. */
  readonly keyHint: string | null;
  /** The person who asked; null when a key did. Without an address once the investor has it as a contact no more. */
  readonly contactEmail: string | null;
}

/** What the keys and people of an investor asked for. */
export interface InvestorRecords extends NewestRecords {
  readonly investorId: string;
  /** Only records of reads that needed one of these. */
  readonly scopes: readonly Scope[];
  readonly companyId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly contactId?: string | undefined;
  readonly protocol?: Protocol | undefined;
  readonly outcome?: SoughtOutcome | undefined;
  readonly requestId?: string | undefined;
  /** The last instant, included. */
  readonly until?: Date | undefined;
  /** Only older ones than this. */
  readonly before: Cursor | null;
  /** None that is older than this, which is included; null: however old. */
  readonly downTo?: Cursor | null;
}

/** `refused`: for whatever reason. */
export type SoughtOutcome = AccessRecord['outcome'] | 'refused';

/** What of a record is shown by name to the investor that asked. */
export interface RecordNames extends RecordReader {
  /** Null when the investor has never had to do with such a company. */
  readonly company: KnownCompany | null;
}

/** A company that is in the portfolio of an investor, or was. */
export interface KnownCompany {
  readonly id: string;
  readonly name: string;
  readonly isInPortfolio: boolean;
}

/** What was asked for of a company. */
export interface CompanyRecords extends NewestRecords {
  readonly companyId: string;
  readonly keyId?: string | undefined;
  /** The last instant, included. */
  readonly until?: Date | undefined;
}

/** A page of what was asked for of a company. */
export interface ReceivedRecords extends NewestRecords {
  readonly companyId: string;
  /** Only of investors of this environment: anybody can try to read a company, whatever the environment of both. */
  readonly environment: Environment;
  readonly investorId?: string | undefined;
  readonly scope?: GrantableScope | undefined;
  /** The last instant, included. */
  readonly until?: Date | undefined;
  /** Only older ones than this. */
  readonly before: Cursor | null;
  /** None that is older than this, which is included; null: however old. */
  readonly downTo: Cursor | null;
}

/** A record with the name of the investor; null when that is gone. */
export interface NamedRecord extends AccessRecord {
  readonly investorName: string | null;
}

/** A record as the company sees it whose data it is about. */
export interface ReceivedRecord extends AccessRecord, RecordReader {
  readonly investorName: string;
}

/** A day that is about to be dropped. */
export interface FoundDay {
  readonly records: number;
  /** The digests of the exports with which the day was dropped before: records can arrive after that. */
  readonly earlierExports: readonly string[];
}

/** Append-only: the store itself must refuse to change or remove a record. */
export interface AccessRecords {
  /** Must have committed the record when it resolves, so that it outlives any process and machine. */
  record(record: AccessRecord): Promise<void>;
  /**
   * Commits the record of a refusal shortly; nobody waits for it. Must not throw, must not hold up `record`, and must not
   * lose it when the service is stopped. Refusals that wait and are alike become one record. When too many wait, the
   * newest is dropped, and that is reported.
   */
  recordEventually(refusal: AccessRecord): void;
  /** Newest first, for a caller who waits. */
  listOfInvestor(filter: InvestorRecords): Promise<AccessRecord[]>;
  /** For each of these records of the investor, in one statement. */
  nameOfInvestor(
    investorId: string,
    records: readonly Pick<AccessRecord, 'keyId' | 'contactId' | 'companyId'>[],
  ): Promise<RecordNames[]>;
  /** Newest first, for an operator: however long it takes. */
  listOfCompany(filter: CompanyRecords): Promise<NamedRecord[]>;
  /** Newest first, for a company that waits. */
  listReceived(filter: ReceivedRecords): Promise<ReceivedRecord[]>;
  /**
   * The place of the last of the next so many records of a company, whoever read, or of those scopes of an investor,
   * whatever was read; null when there are fewer.
   */
  findCursor(
    list:
      | Pick<ReceivedRecords, 'companyId' | 'before'>
      | Pick<InvestorRecords, 'investorId' | 'scopes' | 'before'>,
    count: number,
  ): Promise<Cursor | null>;
  /** The days that can be exported and dropped, oldest first. */
  listDays(): Promise<Day[]>;
  /**
   * Reads the records of a day, oldest first, in pages of a bounded size. A record that arrives meanwhile may be missing.
   *
   * @throws Refusal `access_log_day_changed` if the statistics don't hold all records of the day yet
   */
  readDay(day: Day): AsyncIterable<readonly NamedRecord[]>;
  /**
   * Drops a day and writes the entry of the settings log, in one transaction. If `entryOf` throws, the day stays.
   *
   * @throws Refusal `access_log_day_not_found`, and `access_log_day_changed` like `readDay`
   */
  dropDay(day: Day, entryOf: (found: FoundDay) => SettingsChange): Promise<void>;
}
