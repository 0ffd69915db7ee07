import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { csvLine } from '#http';
import type { DeskContext } from '../context.ts';

export const maxRows = 1_000_000;

/** The columns of a table of records, by the names that they have in REST. */
export type Columns<Item> = readonly (readonly [
  name: string,
  cell: (item: Item) => string | null,
])[];

/** Sends records as a table, in pieces. */
export async function sendRecordCsv<Item>(
  { request, reply }: DeskContext,
  columns: Columns<Item>,
  pieces: AsyncGenerator<readonly Item[], undefined>,
): Promise<FastifyReply> {
  reply
    .header('content-disposition', 'attachment; filename="access-records.csv"')
    .type('text/csv; charset=utf-8; header=present');
  if (request.method === 'HEAD') return reply.send('');
  // What fails before the first row is a page that says so.
  const first = await pieces.next();
  return reply.send(Readable.from(recordCsv(columns, first.value ?? [], pieces, maxRows)));
}

/** A text for each piece. The next piece is read when the client has taken the one before, so one is in memory at a time. */
export async function* recordCsv<Item>(
  columns: Columns<Item>,
  first: readonly Item[],
  others: AsyncIterable<readonly Item[]>,
  maxRows: number,
): AsyncGenerator<string> {
  yield csvLine(columns.map(([name]) => name));
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
