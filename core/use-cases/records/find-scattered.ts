import type { AccessRecord } from '../../model/consent/access-record.ts';
import { type Cursor, type Page, toPage, writeCursor } from '../../model/cursor.ts';

/** Which part of a list is looked through. */
interface Part {
  /** Only older ones than this. */
  readonly before: Cursor | null;
  /** None that is older than this, which is included; null: however old. */
  readonly downTo: Cursor | null;
  readonly limit: number;
}

interface Scattered<Kept extends AccessRecord> extends Omit<Part, 'downTo'> {
  readonly since: Date | undefined;
  /** The wanted ones of a part. */
  readonly find: (part: Part) => Promise<readonly Kept[]>;
  /** The place of the last of the next so many, wanted or not; null when there are fewer. */
  readonly findCursor: (before: Cursor | null, count: number) => Promise<Cursor | null>;
}

interface FoundRecords<Kept extends AccessRecord> {
  readonly found: readonly Kept[];
  /** Null: where the page ends by itself. */
  readonly stoppedAt: Cursor | null;
}

export const cursorOfRecord = ({ occurredAt, id }: AccessRecord): Cursor => ({
  instant: occurredAt,
  id,
});

/** A page of the records of an owner. When only some of them are wanted, these are looked for piece by piece. */
export async function pageRecords<Kept extends AccessRecord>(
  isNarrowed: boolean,
  limit: number,
  asked: Omit<Scattered<Kept>, 'limit'>,
): Promise<Page<Kept>> {
  const { before, find } = asked;
  const oneMore = limit + 1;
  const { found, stoppedAt } = isNarrowed
    ? await findScattered({ ...asked, limit: oneMore })
    : { found: await find({ before, downTo: null, limit: oneMore }), stoppedAt: null };
  const page = toPage(found, limit, cursorOfRecord);
  return stoppedAt === null ? page : { ...page, nextCursor: writeCursor(stoppedAt) };
}

/** How many records one statement looks through, and how many statements one page may take. */
const recordsAtOnce = 10_000;
const statementsOfPage = 20;

/**
 * The wanted records may lie far apart in those of their owner, so they are looked for piece by piece: others get their
 * turns in between. A page that has taken all its statements ends early, and says where.
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
