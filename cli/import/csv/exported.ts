import type { ImportEntry } from '#core';
import { metricColumns, metricFieldsOf, plainCell, readTable } from '#http';
import { exportColumns } from '../../export/csv.ts';
import { CommandError } from '../../output.ts';

/**
 * The metrics of a CSV file that the service has written itself, as a history or an export, with their revisions and
 * signatures, the receipts and their heads. It needs no mapping.
 *
 * @throws CommandError or UnreadableFile when the header is another one
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
  const byName = new Map(exportColumns.map((name, at) => [name, plainCell(cells[at])]));
  const text = (name: string) => byName.get(name);
  const isReceipt = metricColumns.every((name) => text(name) === undefined);
  if (isReceipt) {
    const head = text('receipts.head');
    if (head !== undefined) return { type: 'consent_receipts_head', head };
    return { type: 'consent_receipt', id: text('receipt.id'), jws: text('receipt.jws') };
  }
  return metricFieldsOf(text);
}
