import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { csvLine, toSnakeCase } from '#http';
import type { DeskContext, PageResult } from '../context.ts';
import type { Filters } from '../reads.ts';

/** The byte order mark lets spreadsheet programs recognise UTF-8. */
export const csvHeader = (columns: readonly string[]): string => `\ufeff${csvLine(columns)}`;

/** @param name the file name without the extension */
export const attachCsv = (reply: FastifyReply, name: string): FastifyReply =>
  reply
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .type('text/csv; charset=utf-8; header=present');

export const maxRecords = 1_000_000;

type OtherSide = 'investor' | 'company';

/** The columns have the same names as the fields of the REST API, but in camel case. */
const columnsOf = <Side extends OtherSide>(otherSide: Side) =>
  [
    ...(['id', 'occurredAt', 'requestId', 'protocol'] as const),
    `${otherSide}Id` as const,
    `${otherSide}Name` as const,
    ...(['keyHint', 'contactId', 'contactEmail', 'scope', 'resource'] as const),
    ...(['metricKey', 'grantId', 'outcome', 'count'] as const),
  ] as const;

type CsvRecord<Side extends OtherSide> = Readonly<
  Record<ReturnType<typeof columnsOf<Side>>[number], string | number | Date | null>
>;

/** Sends all access records that match the filters, in small pieces. */
export async function sendRecordCsv<Criteria, Side extends OtherSide>(
  { request, reply }: DeskContext,
  { criteria, isInvalid, addressOf }: Filters<Criteria>,
  otherSide: Side,
  walk: (criteria: Criteria) => AsyncGenerator<readonly CsvRecord<Side>[], void>,
): Promise<PageResult> {
  // Redirects to the page, which shows the error next to the invalid filter.
  if (isInvalid) return { to: addressOf() };
  attachCsv(reply, 'access-records');
  if (request.method === 'HEAD') return reply.send('');
  const pieces = walk(criteria);
  // Reads the first piece before the response starts, so that a failure still leads to an error page.
  const first = await pieces.next();
  const records = first.done === true ? [] : first.value;
  return reply.send(Readable.from(recordCsv(otherSide, records, pieces, maxRecords)));
}

/** Reads the next piece only after the client has received the previous one, so that only one piece is in memory. */
export async function* recordCsv<Side extends OtherSide>(
  otherSide: Side,
  first: readonly CsvRecord<Side>[],
  others: AsyncIterable<readonly CsvRecord<Side>[]>,
  maxRows: number,
): AsyncGenerator<string> {
  const columns = columnsOf(otherSide);
  yield csvHeader(columns.map(toSnakeCase));
  let remainingRows = maxRows;
  const linesOf = (piece: readonly CsvRecord<Side>[]) => {
    const rows = piece.slice(0, remainingRows);
    remainingRows -= rows.length;
    return rows.map((row) => csvLine(columns.map((name) => cellOf(row[name])))).join('');
  };
  yield linesOf(first);
  for await (const piece of others) {
    if (remainingRows === 0) return;
    yield linesOf(piece);
  }
}

const cellOf = (value: string | number | Date | null): string | null =>
  value instanceof Date ? value.toISOString() : value === null ? null : `${value}`;
