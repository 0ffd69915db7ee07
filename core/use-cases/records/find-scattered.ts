import type { AccessRecord } from '../../model/consent/access-record.ts';
import { type Cursor, type Page, toPage, writeCursor } from '../../model/cursor.ts';

interface Part {
  /** Excludes this position. */
  readonly before: Cursor | null;
  /** Includes this position. Null means no limit. */
  readonly downTo: Cursor | null;
  readonly limit: number;
}

interface Scattered<Kept extends AccessRecord> extends Omit<Part, 'downTo'> {
  readonly since: Date | undefined;
  readonly find: (part: Part) => Promise<readonly Kept[]>;
  /** Returns the position after the next `count` records, wanted or not. Null if fewer exist. */
  readonly findCursor: (before: Cursor | null, count: number) => Promise<Cursor | null>;
}

interface FoundRecords<Kept extends AccessRecord> {
  readonly found: readonly Kept[];
  /** Null if the search reached its end. */
  readonly stoppedAt: Cursor | null;
}

export const cursorOfRecord = ({ occurredAt, id }: AccessRecord): Cursor => ({
  instant: occurredAt,
  id,
});

/** Returns a page of an owner's records. `isNarrowed` means that the wanted records can be far apart. */
export async function pageRecords<Kept extends AccessRecord>(
  isNarrowed: boolean,
  limit: number,
  search: Omit<Scattered<Kept>, 'limit'>,
): Promise<Page<Kept>> {
  const { before, find } = search;
  const oneMore = limit + 1;
  const { found, stoppedAt } = isNarrowed
    ? await findScattered({ ...search, limit: oneMore })
    : { found: await find({ before, downTo: null, limit: oneMore }), stoppedAt: null };
  const page = toPage(found, limit, cursorOfRecord);
  return stoppedAt === null ? page : { ...page, nextCursor: writeCursor(stoppedAt) };
}

const recordsAtOnce = 10_000;
const statementsOfPage = 20;

/**
 * Searches piece by piece, so that other callers get their turn. A page that has used all its statements ends early.
 */
async function findScattered<Kept extends AccessRecord>({
  find,
  findCursor,
  since,
  limit: most,
  ...start
}: Scattered<Kept>): Promise<FoundRecords<Kept>> {
  const found: Kept[] = [];
  let { before } = start;
  for (let statement = 0; statement < statementsOfPage; statement += 1) {
    const end = await findCursor(before, recordsAtOnce);
    const isLast = end === null || isBefore(end, since);
    const downTo = isLast ? null : end;
    found.push(...(await find({ before, downTo, limit: most - found.length })));
    if (isLast || found.length === most) return { found, stoppedAt: null };
    before = end;
  }
  return { found, stoppedAt: before };
}

const isBefore = ({ instant }: Cursor, since: Date | undefined) =>
  since !== undefined && instant < since;
