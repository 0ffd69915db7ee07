import { Readable } from 'node:stream';
import type { ReceivedRecord } from '#core';
import { csvLine } from '#http';
import type { ContactContext } from '../../context.ts';
import { forContacts } from '../../route.ts';
import { readFilters, withFilters } from './filters.ts';

export const maxRows = 1_000_000;

async function download(context: ContactContext) {
  const { caller, useCases, request, reply } = context;
  const { invalid, ...filters } = readFilters(context);
  // The page says what is wrong, beside the field.
  if (Object.keys(invalid).length > 0) return { to: withFilters('/desk/activity', context) };
  reply
    .header('content-disposition', 'attachment; filename="access-records.csv"')
    .type('text/csv; charset=utf-8; header=present');
  if (request.method === 'HEAD') return reply.send('');
  // What fails before the first row is a page that says so.
  const pieces = useCases.company.walkReceivedRecords(caller, filters);
  const first = await pieces.next();
  return reply.send(Readable.from(recordCsv(first.value ?? [], pieces, maxRows)));
}

/** The same records as the page shows, all of them. */
export const activityCsvRoutes = [forContacts.get('/activity.csv', download)];

type Cell = (record: ReceivedRecord) => string | null;

/** By the names that the records have in REST. */
const columns: readonly (readonly [string, Cell])[] = [
  ['id', ({ id }) => id],
  ['occurred_at', ({ occurredAt }) => occurredAt.toISOString()],
  ['request_id', ({ requestId }) => requestId],
  ['protocol', ({ protocol }) => protocol],
  ['investor_id', ({ investorId }) => investorId],
  ['investor_name', ({ investorName }) => investorName],
  ['key_hint', ({ keyHint }) => keyHint],
  ['contact_id', ({ contactId }) => contactId],
  ['contact_email', ({ contactEmail }) => contactEmail],
  ['scope', ({ scope }) => scope],
  ['resource', ({ resource }) => resource],
  ['metric_key', ({ metricKey }) => metricKey],
  ['grant_id', ({ grantId }) => grantId],
  ['outcome', ({ outcome }) => outcome],
  ['count', ({ count }) => `${count}`],
];

/** A text for each piece. The next piece is read when the client has taken the one before, so one is in memory at a time. */
export async function* recordCsv(
  first: readonly ReceivedRecord[],
  others: AsyncIterable<readonly ReceivedRecord[]>,
  maxRows: number,
): AsyncGenerator<string> {
  yield csvLine(columns.map(([name]) => name));
  let left = maxRows;
  const linesOf = (piece: readonly ReceivedRecord[]) => {
    const rows = piece.slice(0, left);
    left -= rows.length;
    return rows.map((record) => csvLine(columns.map(([, cell]) => cell(record)))).join('');
  };
  yield linesOf(first);
  for await (const piece of others) {
    if (left === 0) return;
    yield linesOf(piece);
  }
}
