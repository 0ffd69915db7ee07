import { type ImportEntry, type ImportProblem, OperatorError } from '#core';
import { createRecordReaders, type ReadRecord } from './columns.ts';
import { decodeText, type Encoding, unreadableCharacter } from './encoding.ts';
import type { Mapping } from './mapping.ts';
import { type Row, RowReader } from './rows.ts';

/**
 * What the rows of a CSV file say by a mapping, in their order. Rows without any text are passed over. What a row may
 * hold is checked by whoever imports it, as for newline-delimited JSON.
 *
 * @throws OperatorError when the file as a whole is not what the mapping says
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  mapping: Mapping,
): AsyncGenerator<ImportEntry> {
  const { delimiter, quote, skip_lines: skipLines } = mapping;
  const rows = new RowReader({ delimiter, quote, skipLines });
  const table = new Table(mapping);
  let lastEncoding: Encoding = mapping.encoding ?? 'utf-8';
  for await (const { text, encoding } of decodeText(chunks, mapping.encoding)) {
    lastEncoding = encoding;
    for (const row of rows.read(text)) yield* table.entriesOf(row, encoding);
  }
  for (const row of rows.end()) yield* table.entriesOf(row, lastEncoding);
  table.requireHeader();
}

/** The first row of a file names the columns of those after it, or only tells how many there are. */
class Table {
  readonly #mapping: Mapping;
  #width = 0;
  #readers: readonly ReadRecord[] | null = null;

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
  }

  *entriesOf(row: Row | ImportProblem, encoding: Encoding): Generator<ImportEntry> {
    if ('reason' in row) return yield this.#readers === null ? refuseHeader(row) : row;
    const { line } = row;
    if (row.cells.every((cell) => cell.trim() === '')) return;
    const reason = unreadableCharacter(row.cells.join(), encoding);
    if (reason !== null) return yield* this.entriesOf({ line, reason }, encoding);
    if (this.#readers === null) {
      const cells = row.cells.map((cell) => cell.trim());
      this.#width = cells.length;
      this.#readers = createRecordReaders(this.#mapping, cells);
      if (this.#mapping.header) return;
    }
    const flaw = this.#flawOf(row);
    if (flaw !== null) return yield { line, reason: flaw };
    for (const read of this.#readers) {
      const fields = read(row.cells);
      if (fields !== null) yield { line, ...fields };
    }
  }

  /** Empty cells at the end of a row are no flaw: many programs end each row with a delimiter. */
  #flawOf({ cells }: Row): string | null {
    const length = cells.findLastIndex((cell) => cell !== '') + 1;
    if (cells.length >= this.#width && length <= this.#width) return null;
    const owner = this.#mapping.header ? 'the header' : 'the first row';
    return `has ${count(Math.max(length, Math.min(cells.length, this.#width)), 'cell')}, but ${owner} has ${this.#width}`;
  }

  requireHeader(): void {
    if (this.#readers === null && this.#mapping.header) {
      throw new OperatorError('invalid', 'the file has no header row');
    }
  }
}

function refuseHeader({ line, reason }: ImportProblem): never {
  throw new OperatorError('invalid', `the first row of the file, in line ${line}, ${reason}`);
}

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;
