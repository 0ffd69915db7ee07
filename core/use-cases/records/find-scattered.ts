import type { AccessRecord } from '../../model/consent/access-record.ts';
import { type Cursor, type Page, toPage, writeCursor } from '../../model/cursor.ts';

interface Part {
  readonly before: Cursor | null;
  /** Only records that aren't older than this position. Null means no limit. */
  readonly oldestCursor: Cursor | null;
  readonly limit: number;
}

interface Search<Kept extends AccessRecord> {
  readonly before: Cursor | null;
  readonly since: Date | undefined;
  readonly find: (part: Part) => Promise<readonly Kept[]>;
  /** Returns the position `count` records later. Also counts records that don't match. Null if there are fewer. */
  readonly findCursor: (before: Cursor | null, count: number) => Promise<Cursor | null>;
}

export const cursorOfRecord = ({ occurredAt, id }: AccessRecord): Cursor => ({
  instant: occurredAt,
  id,
});

const recordsPerStatement = 10_000;
const statementsPerPage = 20;

/**
 * Returns a page of an owner's records. If matching records can be far apart, searches in several short SQL statements,
 * so that other callers don't wait. If the page has used up its number of statements, it ends early.
 *
 * @param isNarrowed true if the matching records can be far apart
 */
export async function pageRecords<Kept extends AccessRecord>(
  isNarrowed: boolean,
  limit: number,
  { before, since, find, findCursor }: Search<Kept>,
): Promise<Page<Kept>> {
  const limitPlusOne = limit + 1;
  if (!isNarrowed) {
    return toPage(
      await find({ before, oldestCursor: null, limit: limitPlusOne }),
      limit,
      cursorOfRecord,
    );
  }
  const found: Kept[] = [];
  let start = before;
  for (let statement = 0; statement < statementsPerPage; statement += 1) {
    const end = await findCursor(start, recordsPerStatement);
    const isLast = end === null || (since !== undefined && end.instant < since);
    const oldestCursor = isLast ? null : end;
    found.push(
      ...(await find({ before: start, oldestCursor, limit: limitPlusOne - found.length })),
    );
    if (isLast || found.length === limitPlusOne) return toPage(found, limit, cursorOfRecord);
    start = end;
  }
  return { items: found, nextCursor: writeCursor(start as Cursor) };
}
