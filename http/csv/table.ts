import type { ImportProblem } from '#core';
import { decodeText, type Encoding, findUnreadableCharacter, UnreadableFile } from './encoding.ts';
import { type Row, type RowOptions, RowReader } from './rows.ts';

interface TableOptions extends RowOptions {
  /** The encoding that the caller declared. By default, the byte-order mark decides, and then UTF-8 is used. */
  readonly encoding?: Encoding | undefined;
  readonly hasHeader: boolean;
}

/** Spreadsheets write blank rows below a table. A blank row takes as much time as any other row. */
export const maxBlankRows = 10_000;

/**
 * Yields the rows of a file, except for blank rows. Yields a problem instead of a row that has more or fewer cells than
 * the first row.
 *
 * @throws UnreadableFile if the first row can't be read, or the header is missing
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
    for await (const rows of reader.read(text)) yield* table.check(rows, encoding);
  }
  for await (const rows of reader.end()) yield* table.check(rows, lastEncoding);
  table.requireHeader();
}

class Table {
  readonly #hasHeader: boolean;
  #width: number | null = null;
  #blankRows = 0;

  constructor(hasHeader: boolean) {
    this.#hasHeader = hasHeader;
  }

  check(rows: readonly (Row | ImportProblem)[], encoding: Encoding): (Row | ImportProblem)[] {
    return rows
      .filter((row) => 'reason' in row || !this.#isBlank(row))
      .map((row) => {
        const isFirst = this.#width === null;
        const reason =
          'reason' in row
            ? row.reason
            : (findUnreadableCharacter(row.cells.join(), encoding) ?? this.#flawOf(row.cells));
        if (reason === null) return row;
        const { line } = row;
        if (!isFirst) return { line, reason };
        throw new UnreadableFile(`the first row of the file, in line ${line}, ${reason}`);
      });
  }

  #isBlank({ cells }: Row): boolean {
    if (cells.some((cell) => cell.trim() !== '')) return false;
    this.#blankRows += 1;
    if (this.#blankRows > maxBlankRows) {
      throw new UnreadableFile(
        `the file has more than ${maxBlankRows} blank rows: delete those below the last row`,
      );
    }
    return true;
  }

  /** Allows additional empty cells, because many programs write a delimiter at the end of each row. */
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
