import { Readable } from 'node:stream';
import { csvLine } from '#http';
import type { DeskContext, PageResult } from '../context.ts';
import type { Filters } from '../reads.ts';
import { attachCsv, csvHeader } from './csv.ts';

export const maxRows = 1_000_000;

/** The columns of a file of records, named as in REST. */
export type Columns<Item> = readonly (readonly [
  name: string,
  cell: (item: Item) => string | null,
])[];

export async function sendRecordCsv<Criteria, Item>(
  { request, reply }: DeskContext,
  { criteria, isInvalid, addressOf }: Filters<Criteria>,
  columns: Columns<Item>,
  walk: (criteria: Criteria) => AsyncGenerator<readonly Item[], undefined>,
): Promise<PageResult> {
  // The page shows the error next to the field.
  if (isInvalid) return { to: addressOf() };
  attachCsv(reply, 'access-records');
  if (request.method === 'HEAD') return reply.send('');
  const pieces = walk(criteria);
  // A failure before the first row is still shown as an error page.
  const first = await pieces.next();
  return reply.send(Readable.from(recordCsv(columns, first.value ?? [], pieces, maxRows)));
}

/**
 * Yields a text for each piece. Reads the next piece only after the client has taken the last one, so only one is in
 * memory.
 */
export async function* recordCsv<Item>(
  columns: Columns<Item>,
  first: readonly Item[],
  others: AsyncIterable<readonly Item[]>,
  maxRows: number,
): AsyncGenerator<string> {
  yield csvHeader(columns.map(([name]) => name));
  let left = maxRows;
  const linesOf = (piece: readonly Item[]) => {
    const rows = piece.slice(0, left);
    left -= rows.length;
    return rows.map((item) => csvLine(columns.map(([, cell]) => cell(item)))).join('');
  };
  yield linesOf(first);
  for await (const piece of others) {
    if (left === 0) return;
    yield linesOf(piece);
  }
}
