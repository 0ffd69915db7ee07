import type { ImportEntry } from '#core';
import { metricColumns } from '#rest-adapter';
import { exportColumns } from '../../export/csv.ts';
import { CommandError } from '../../output.ts';
import { readTable } from './table.ts';

/**
 * The metrics of a CSV file that the service has written itself, as a history or an export, with their revisions and
 * signatures, the receipts and their heads. It needs no mapping.
 *
 * @throws CommandError when the header is another one
 */
export async function* readExportedCsv(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ImportEntry> {
  let isFirst = true;
  const options = { delimiter: ',', quote: '"', skipLines: 0, hasHeader: true };
  for await (const row of readTable(chunks, options)) {
    if (isFirst) {
      isFirst = false;
      if ('cells' in row && isHeader(row.cells)) continue;
      throw new CommandError(
        'a CSV file needs --mapping FILE, unless it is an export of this service: docs/import.md tells how',
      );
    }
    if ('reason' in row) yield row;
    else yield { line: row.line, fields: fieldsOf(row.cells), unreadable: new Map(), describe };
  }
}

const isHeader = (cells: readonly string[]): boolean =>
  [metricColumns, exportColumns].some((columns) => cells.join() === columns.join());

const describe = (path: string): string => path;

function fieldsOf(cells: readonly string[]): object {
  // What was no formula any more is again what it was.
  const byName = new Map(exportColumns.map((name, at) => [name, cells[at]?.replace(/^'/, '')]));
  const text = (name: string) => byName.get(name) || undefined;
  const isReceipt = metricColumns.every((name) => text(name) === undefined);
  if (isReceipt) {
    const head = text('receipts.head');
    if (head !== undefined) return { type: 'consent_receipts_head', head };
    return { type: 'consent_receipt', id: text('receipt.id'), jws: text('receipt.jws') };
  }
  return {
    type: 'metric',
    company_id: text('company_id'),
    key: text('key'),
    label: text('label'),
    currency: text('currency') ?? null,
    period: text('period'),
    raw_value: toAmount(text('raw_value')),
    value: text('value'),
    category: text('category'),
    confidence: text('confidence'),
    as_of: text('as_of'),
    source: {
      system: text('source.system'),
      method: text('source.method'),
      last_synced: text('source.last_synced'),
      signature: text('verification.source_signature'),
    },
    verification: {
      verified: toFlag(text('verification.verified')),
      signed: toFlag(text('verification.signed')),
      signature: text('verification.signature'),
    },
    revision: toCount(text('revision')),
  };
}

// What is of another form is left as it is, for the core to refuse.
const toAmount = (text = '') =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? JSON.rawJSON(text) : text;
const toFlag = (text = '') => (text === 'true' ? true : text === 'false' ? false : text);
const toCount = (text = '') => (/^\d{1,10}$/.test(text) ? Number(text) : text);
