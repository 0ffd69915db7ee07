import type { AccessRecord } from '../../model/consent/access-record.ts';
import { type Cursor, isEarlier } from '../../model/cursor.ts';
import { AccessError } from '../../model/errors.ts';
import type {
  CompanyRecords,
  InvestorRecords,
  NamedRecord,
  ReceivedRecord,
  ReceivedRecords,
} from '../../ports/access-records.ts';
import type { ArchivedRecords, UnreadRecords } from '../../ports/archive.ts';
import type { Ports } from '../../ports/index.ts';

/** What each list is asked for. */
interface Filters {
  listOfInvestor: InvestorRecords;
  listOfCompany: CompanyRecords;
  listReceived: ReceivedRecords;
}

/** What each list holds. */
interface Listed {
  listOfInvestor: AccessRecord;
  listOfCompany: NamedRecord;
  listReceived: ReceivedRecord;
}

type Database = { [List in keyof Listed]: (filter: Filters[List]) => Promise<Listed[List][]> };

type Archive = {
  [List in keyof Listed]: (filter: Filters[List]) => Promise<ArchivedRecords<Listed[List]>>;
};

/** A day that is not over for so long is taken to be in the database. */
const keptDays = 1;

/** So many more days are never archived, because the clock of the machine that archives may be ahead. */
const spareDays = 1;

/**
 * The newest records of the database and the archive together. The database is read first: a day that is archived
 * meanwhile is then found in both, and what is double is left out. The other way round it would be found in neither. The
 * time is taken after the database was read, for the same reason.
 */
export async function readWithArchive<List extends keyof Listed>(
  { accessRecords, accessRecordArchive, clock }: Ports,
  list: List,
  filter: Filters[List],
): Promise<ArchivedRecords<Listed[List]>> {
  const database: Database = accessRecords;
  const archive: Archive = accessRecordArchive;
  const { since, downTo, limit }: Pick<InvestorRecords, 'since' | 'downTo' | 'limit'> = filter;
  const found = await database[list](filter);
  const last = found.length < limit ? undefined : found.at(-1);
  const oldest = last?.occurredAt ?? downTo?.instant ?? since;
  if (oldest !== undefined && oldest >= firstKeptInstant(clock.now())) {
    return { records: found, unread: null };
  }
  const { records, unread } = await archive[list]({ ...filter, since: oldest });
  const isKnown = ({ occurredAt }: AccessRecord) => unread === null || occurredAt >= unread.before;
  const merged = mergeNewest(found, records).filter(isKnown);
  // What could not be read is older than all of a list that is full already.
  const isFull = merged.length >= limit;
  return { records: merged.slice(0, limit), unread: isFull ? null : unread };
}

/** The start of yesterday: no record from there on is in the archive. */
const firstKeptInstant = (now: Date) => startOfDay(now, keptDays);

/** Days that end later stay in the database. */
export const lastArchivedInstant = (now: Date) => startOfDay(now, keptDays + spareDays);

function startOfDay(now: Date, daysBefore: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - daysBefore));
}

function mergeNewest<Kept extends AccessRecord>(
  some: readonly Kept[],
  others: readonly Kept[],
): Kept[] {
  const unique = new Map([...some, ...others].map((record) => [record.id, record]));
  return [...unique.values()].sort((a, b) =>
    isEarlier(cursorOfRecord(a), cursorOfRecord(b)) ? 1 : -1,
  );
}

export const cursorOfRecord = ({ occurredAt, id }: AccessRecord): Cursor => ({
  instant: occurredAt,
  id,
});

/** What a caller learns: nothing of where the archive is, nor of what is wrong with it. */
export class ArchiveUnavailable extends AccessError {
  constructor({ reason }: UnreadRecords) {
    super('service_unavailable', {
      message: 'These access records are in an archive that cannot be read at the moment.',
      cause: reason,
    });
  }
}
