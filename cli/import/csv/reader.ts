import type { ImportEntry } from '#core';
import { readTable } from '#http';
import { createRecordReaders, type ReadRecord } from './columns.ts';
import type { Mapping } from './mapping.ts';

/**
 * The import checks the values later.
 *
 * @throws CommandError or UnreadableFile if the file doesn't match the mapping
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
