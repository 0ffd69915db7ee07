import type { ImportEntry } from '#core';
import { readTable } from '#http';
import { createRecordReaders, type ReadRecord } from './columns.ts';
import type { Mapping } from './mapping.ts';

/**
 * What the rows of a CSV file say by a mapping, in their order. What a row may hold is checked by whoever imports it, as
 * for newline-delimited JSON.
 *
 * @throws CommandError or UnreadableFile when the file as a whole is not what the mapping says
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  mapping: Mapping,
): AsyncGenerator<ImportEntry> {
  const { encoding, delimiter, quote, skip_lines: skipLines, header } = mapping;
  let readers: readonly ReadRecord[] | null = null;
  const rows = readTable(chunks, { encoding, delimiter, quote, skipLines, hasHeader: header });
  for await (const row of rows) {
    if ('reason' in row) {
      yield row;
      continue;
    }
    const isFirst = readers === null;
    readers ??= createRecordReaders(
      mapping,
      row.cells.map((cell) => cell.trim()),
    );
    if (isFirst && header) continue;
    for (const read of readers) {
      const fields = read(row.cells);
      if (fields !== null) yield { line: row.line, ...fields };
    }
  }
}
