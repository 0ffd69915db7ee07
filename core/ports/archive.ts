import type { AccessRecord } from '../model/consent/access-record.ts';
import type {
  CompanyRecords,
  InvestorRecords,
  NamedRecord,
  ReceivedRecord,
  ReceivedRecords,
} from './access-records.ts';
import type { Day } from './statistics.ts';

/** Older records are in an archive that cannot be read at the moment. */
export interface UnreadRecords {
  /** Records that are older than this may be missing. */
  readonly before: Date;
  /** For an operator: it may tell of our inside. */
  readonly reason: Error;
}

export interface ArchivedRecords<Kept extends AccessRecord> {
  readonly records: readonly Kept[];
  /** Null: nothing is missing. */
  readonly unread: UnreadRecords | null;
}

export interface ArchivedDay {
  readonly day: Day;
  readonly records: number;
  /** Of the file; a day without a record has none. */
  readonly bytes: number;
}

/** What has been done of one day, in this order. */
export type ArchiveStep = 'written' | 'checked' | 'in_place' | 'listed' | 'marked' | 'removed';

export interface ArchiveOptions {
  /** When it is aborted, the day stays as it was. */
  readonly signal?: AbortSignal | undefined;
  /** The archive waits for it. */
  readonly onStep?: ((day: Day, step: ArchiveStep) => void | Promise<void>) | undefined;
}

/**
 * Access records of whole days that have left the database. A day is archived from the moment on that the database says
 * so, in the same transaction that removes its records there. Records of such a day that come later are in the database.
 */
export interface AccessRecordArchive {
  /**
   * Each list like that of `AccessRecords`, of what is archived. Must answer callers in a few seconds, and must not reject
   * when the files cannot be read.
   */
  listOfInvestor(filter: InvestorRecords): Promise<ArchivedRecords<AccessRecord>>;
  listOfCompany(filter: CompanyRecords): Promise<ArchivedRecords<NamedRecord>>;
  listReceived(filter: ReceivedRecords): Promise<ArchivedRecords<ReceivedRecord>>;
  /** The days that could be archived, oldest first. */
  listDays(): Promise<Day[]>;
  /**
   * Writes the records of a day into a file, compares the file with them, and only then removes them from the database.
   * Whatever ends it on the way, it can be called again: no record is lost, and none is in two places.
   *
   * @throws Refusal `access_log_day_not_found`, `access_log_day_changed` when records of the day came meanwhile, and an Error
   *   when nothing can be archived here
   */
  archiveDay(day: Day, options: ArchiveOptions): Promise<ArchivedDay>;
  /**
   * Before archived days are removed for good.
   *
   * @throws Error when there are some before the day, and their files are not there
   */
  requireArchivedUntil(before: Day, options?: { readonly areFilesLost?: boolean }): Promise<void>;
  /** Removes the files of days that the database has forgotten; answers these days. */
  removeForgotten(): Promise<Day[]>;
}
