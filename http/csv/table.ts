import type { ImportProblem } from '#core';
import { decodeText, type Encoding, UnreadableFile, unreadableCharacter } from './encoding.ts';
import { type Row, type RowOptions, RowReader } from './rows.ts';

interface TableOptions extends RowOptions {
  /** Undefined: that of the byte-order mark, or UTF-8. */
  readonly encoding?: Encoding | undefined;
  readonly hasHeader: boolean;
}

/**
 * The rows of a file, each with as many cells as the first one, which is the header where there is one. Rows without any
 * text are passed over.
 *
 * @throws UnreadableFile when the first row cannot be read, or the header is missing
 */
export async function* readTable(
  chunks: AsyncIterable<Uint8Array>,
  options: TableOptions,
): AsyncGenerator<Row | ImportProblem> {
  const reader = new RowReader(options);
  const table = new Table(options.hasHeader);
  let lastEncoding = options.encoding ?? 'utf-8';
  for await (const { text, encoding } of decodeText(chunks, options.encoding)) {
    lastEncoding = encoding;
    for (const row of reader.read(text)) yield* table.check(row, encoding);
  }
  for (const row of reader.end()) yield* table.check(row, lastEncoding);
  table.requireHeader();
}

class Table {
  readonly #hasHeader: boolean;
  /** Null before the first row. */
  #width: number | null = null;

  constructor(hasHeader: boolean) {
    this.#hasHeader = hasHeader;
  }

  *check(row: Row | ImportProblem, encoding: Encoding): Generator<Row | ImportProblem> {
    if ('reason' in row) return yield this.#width === null ? refuseFirst(row) : row;
    const { line, cells } = row;
    if (cells.every((cell) => cell.trim() === '')) return;
    const isFirst = this.#width === null;
    const reason = unreadableCharacter(cells.join(), encoding) ?? this.#flawOf(cells);
    if (reason !== null) return yield isFirst ? refuseFirst({ line, reason }) : { line, reason };
    yield row;
  }

  /** Empty cells at the end of a row are no flaw: many programs end each row with a delimiter. */
  #flawOf(cells: readonly string[]): string | null {
    this.#width ??= cells.length;
    const width = this.#width;
    const length = cells.findLastIndex((cell) => cell !== '') + 1;
    if (cells.length >= width && length <= width) return null;
    const count = length > width ? length : cells.length;
    const owner = this.#hasHeader ? 'the header' : 'the first row';
    return `has ${count} cell${count === 1 ? '' : 's'}, but ${owner} has ${width}`;
  }

  requireHeader(): void {
    if (this.#width === null && this.#hasHeader) {
      throw new UnreadableFile('the file has no header row');
    }
  }
}

function refuseFirst({ line, reason }: ImportProblem): never {
  throw new UnreadableFile(`the first row of the file, in line ${line}, ${reason}`);
}
