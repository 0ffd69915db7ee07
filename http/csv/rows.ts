import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvError, Parser } from 'csv-parse';
import type { ImportProblem } from '#core';
import { ByteQueue } from './byte-queue.ts';
import { UnreadableFile } from './encoding.ts';

export interface Row {
  /** The first line of the row, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface RowOptions {
  readonly delimiter: string;
  /** Null disables quoting. */
  readonly quote: string | null;
  readonly skipLines: number;
}

type Rows = readonly (Row | ImportProblem)[];

interface ParsedRow {
  readonly cells: readonly string[];
  /** The position after the row, counted in bytes from the first byte that the parser received. */
  readonly end: number;
}

/** The longest row in UTF-8 bytes, including the line break. */
const maxRowBytes = 1_048_576;
/** The number of broken rows is limited, because each broken row needs a new parser. */
const maxBrokenRows = 1_000;
/** One slice takes about 2 ms. After each slice, the event loop serves other callers. */
const bytesPerTurn = 16 * 1024;
const brokenRowsPerTurn = 20;

export const rowFlaws = {
  brokenQuote: 'has a broken quote',
  openQuote: 'opens a quote that is not closed',
  tooLong: 'is longer than 1 MiB',
  tooLongOrOpen: 'is longer than 1 MiB, or a quote is not closed',
};

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Reads the rows of a text that arrives in pieces. Keeps at most one row and one piece in memory. Adds three things to
 * csv-parse 7:
 *
 * - Recovery after a broken quote. csv-parse stops there. With `skip_records_with_error`, it loses all rows up to the
 *   next quote. This class reports the line and continues with a new parser at the next line.
 * - A limit for rows that contain only delimiters, which `max_record_size` doesn't count.
 * - Correct line numbers. `info.lines` counts a CRLF inside quotes twice.
 *
 * No line is parsed more than twice, so the time grows linearly with the size of the file.
 */
export class RowReader {
  readonly #options: RowOptions;
  #parser: Parser;
  #parsed: ParsedRow[] = [];
  /** The bytes that aren't returned as rows yet, starting with the first incomplete row. */
  readonly #bytes = new ByteQueue();
  /** The number of bytes in `#bytes` that the parser has already received. */
  #fed = 0;
  /** The position of the first byte in `#bytes`, counted like `ParsedRow.end`. */
  #start = 0;
  #line = 1;
  #linesToDrop: number;
  #brokenRows = 0;
  /** A CR at the end of a piece. The next piece may start with the LF of the same line break. */
  #openEnd = '';

  constructor(options: RowOptions) {
    this.#options = options;
    this.#linesToDrop = options.skipLines;
    this.#parser = this.#createParser();
  }

  /** Yields the complete rows in batches. */
  async *read(piece: string): AsyncGenerator<Rows> {
    const text = this.#openEnd + piece;
    this.#openEnd = text.endsWith('\r') ? '\r' : '';
    this.#bytes.append(Buffer.from(this.#openEnd === '' ? text : text.slice(0, -1)));
    yield* this.#parseAll(false);
  }

  /** Must be called after the last piece. */
  async *end(): AsyncGenerator<Rows> {
    this.#bytes.append(Buffer.from(this.#openEnd));
    yield* this.#parseAll(true);
  }

  async *#parseAll(isEnd: boolean): AsyncGenerator<Rows> {
    for (;;) {
      this.#dropLines();
      const slice = this.#bytes.slice(this.#fed, bytesPerTurn);
      const isLast = isEnd && this.#fed + slice.length === this.#bytes.length;
      if (slice.length === 0 && !isLast) return;
      const error = await this.#parse(slice, isLast);
      yield this.#takeParsed();
      const reason = this.#findFlaw(error);
      if (reason !== null) {
        yield [this.#dropFirstLine(reason)];
        if (this.#brokenRows % brokenRowsPerTurn === 0) await nextTurn();
      } else if (isLast) return;
      else await nextTurn();
    }
  }

  #parse(slice: Buffer, isLast: boolean): Promise<CsvError | null> {
    this.#fed += slice.length;
    return new Promise((resolve) => {
      const done = (error?: Error | null) =>
        resolve((error as CsvError | null | undefined) ?? null);
      if (isLast) this.#parser.end(slice, done);
      else this.#parser.write(slice, done);
    });
  }

  #takeParsed(): Rows {
    let taken = 0;
    const rows = this.#parsed.splice(0).map(({ cells, end }) => {
      const line = this.#line;
      const length = end - this.#start;
      this.#line += 1 + countLineBreaks(cells);
      this.#start = end;
      taken += length;
      return length > maxRowBytes ? { line, reason: rowFlaws.tooLong } : { line, cells };
    });
    this.#bytes.drop(taken);
    this.#fed -= taken;
    return rows;
  }

  #findFlaw(error: CsvError | null): string | null {
    if (error !== null) {
      return error.code === 'CSV_QUOTE_NOT_CLOSED' ? rowFlaws.openQuote : rowFlaws.brokenQuote;
    }
    // Adds `bytesPerTurn` to the limit, because the parser reads ahead.
    if (this.#fed <= maxRowBytes + bytesPerTurn) return null;
    return rowFlaws.tooLongOrOpen;
  }

  #dropFirstLine(reason: string): ImportProblem {
    this.#brokenRows += 1;
    if (this.#brokenRows > maxBrokenRows) {
      throw new UnreadableFile(
        `more than ${maxBrokenRows} rows have broken quotes: does the file use another quote character?`,
      );
    }
    this.#parser.destroy();
    this.#parser = this.#createParser();
    this.#fed = 0;
    this.#start = 0;
    this.#linesToDrop = 1;
    return { line: this.#line, reason };
  }

  #dropLines(): void {
    while (this.#linesToDrop > 0 && this.#bytes.length > 0) {
      const bytes = this.#bytes.slice(0, bytesPerTurn);
      const at = bytes.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
      if (at === -1) {
        this.#bytes.drop(bytes.length);
        continue;
      }
      const isHalf = bytes[at] === carriageReturn && this.#bytes.slice(at + 1, 1)[0] === lineFeed;
      this.#bytes.drop(isHalf ? at + 2 : at + 1);
      this.#line += 1;
      this.#linesToDrop -= 1;
    }
  }

  #createParser(): Parser {
    const { delimiter, quote } = this.#options;
    const parser = new Parser({
      delimiter,
      quote: quote ?? false,
      escape: quote,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      on_record: (cells: string[], { bytes }) => {
        this.#parsed.push({ cells, end: bytes });
        // Makes csv-parse accept any number of cells without an error, which takes longer than parsing the row.
        Object.assign(parser.info, { records: 0 });
        return null;
      },
    });
    // The callback of `write` handles the error, so this listener ignores it.
    return parser.on('error', () => undefined);
  }
}

function countLineBreaks(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) count += cell.match(/\r\n?|\n/g)?.length ?? 0;
  return count;
}
