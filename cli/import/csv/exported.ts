import type { ImportEntry } from '#core';
import { metricColumns, metricFieldsOf, plainCell, readTable } from '#http';
import { exportColumns } from '../../export/csv.ts';

/**
 * Reads a metric history or an export of this service.
 *
 * @throws UnreadableFile
 */
export async function* readExportedCsv(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ImportEntry> {
  let isFirst = true;
  const options = { delimiter: ',', quote: '"', skipLines: 0, hasHeader: true };
  for await (const row of readTable(chunks, options)) {
    if (isFirst) {
      isFirst = false;
      continue;
    }
    if ('reason' in row) yield row;
    else yield { line: row.line, fields: fieldsOf(row.cells), unreadable: new Map(), describe };
  }
}

/** Returns true if the file begins with a header that this service writes. */
export function isExport(head: Uint8Array): boolean {
  const [line = ''] = new TextDecoder().decode(head).split(/\r\n|\n/, 1);
  return [metricColumns, exportColumns].some((columns) => line === columns.join());
}

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
