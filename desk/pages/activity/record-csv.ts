import type { ReceivedRecord } from '#core';
import { csvLine } from '#http';

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
