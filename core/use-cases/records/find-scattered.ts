import type { AccessRecord } from '../../model/consent/access-record.ts';
import { type Cursor, type Page, toPage, writeCursor } from '../../model/cursor.ts';

interface Part {
  /** Excludes this position. */
  readonly before: Cursor | null;
  /** Includes this position. Null means no limit. */
  readonly downTo: Cursor | null;
  readonly limit: number;
}

interface Search<Kept extends AccessRecord> {
  readonly before: Cursor | null;
  readonly since: Date | undefined;
  readonly find: (part: Part) => Promise<readonly Kept[]>;
  /** Returns the position after the next `count` records, wanted or not. Null if fewer exist. */
  readonly findCursor: (before: Cursor | null, count: number) => Promise<Cursor | null>;
}

export const cursorOfRecord = ({ occurredAt, id }: AccessRecord): Cursor => ({
  instant: occurredAt,
  id,
});

const recordsAtOnce = 10_000;
const statementsOfPage = 20;

/**
 * Returns a page of an owner's records. Searches for scattered records piece by piece, so that other callers get their
 * turn. A page that has used all its statements ends early.
 *
 * @param isNarrowed true if the wanted records can be far apart
 */
export async function pageRecords<Kept extends AccessRecord>(
  isNarrowed: boolean,
  limit: number,
  { before, since, find, findCursor }: Search<Kept>,
): Promise<Page<Kept>> {
  const oneMore = limit + 1;
  if (!isNarrowed) {
    return toPage(await find({ before, downTo: null, limit: oneMore }), limit, cursorOfRecord);
  }
  const found: Kept[] = [];
  let start = before;
  for (let statement = 0; statement < statementsOfPage; statement += 1) {
    const end = await findCursor(start, recordsAtOnce);
    const isLast = end === null || (since !== undefined && end.instant < since);
    const downTo = isLast ? null : end;
    found.push(...(await find({ before: start, downTo, limit: oneMore - found.length })));
    if (isLast || found.length === oneMore) return toPage(found, limit, cursorOfRecord);
    start = end;
  }
  return { items: found, nextCursor: writeCursor(start as Cursor) };
}
