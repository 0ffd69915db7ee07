import type { Page, ReceivedRecord } from '#core';
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

export type ReadPage = (cursor: string | null) => Promise<Page<ReceivedRecord>>;

/** A piece for each page. The next page is read when the client has taken the one before, so one is in memory at a time. */
export async function* recordCsv(
  first: Page<ReceivedRecord>,
  readPage: ReadPage,
  maxRows: number,
): AsyncGenerator<string> {
  yield csvLine(columns.map(([name]) => name));
  let left = maxRows;
  let page = first;
  for (;;) {
    const rows = page.items.slice(0, left);
    left -= rows.length;
    if (rows.length > 0) {
      yield rows.map((record) => csvLine(columns.map(([, cell]) => cell(record)))).join('');
    }
    if (page.nextCursor === null || left === 0) return;
    page = await readPage(page.nextCursor);
  }
}
