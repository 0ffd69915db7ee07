import { parse } from 'csv-parse/sync';
import type { ImportProblem } from '#core';
import { UnreadableFile } from './encoding.ts';

export interface Row {
  /** The line that it begins in, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface RowOptions {
  readonly delimiter: string;
  /** Null: no character quotes. */
  readonly quote: string | null;
  /** Lines before the first row. */
  readonly skipLines: number;
}

/** A row of the text that is held, from its first character to the line feed after it. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

/** A cell is never longer than its row. */
const maxRowLength = 1_048_576;
/** After each of them the text has to be looked at anew. */
const maxBrokenQuotes = 10_000;

/**
 * The rows of a text that comes in pieces; at most one row and one piece are held. A row ends with the first line break
 * after an even number of quotes. csv-parse reads its cells, many rows at a time. It alone would end with the first
 * broken quote; here the next row then begins in the next line, so that one run shows every bad row.
 */
export class RowReader {
  readonly #options: RowOptions;
  #text = '';
  #start = 0;
  #line = 1;
  #linesToSkip: number;
  #isDropping = false;
  #brokenQuotes = 0;
  /** The first of the text tells it for all. */
  #lineBreak: string | null = null;

  constructor(options: RowOptions) {
    this.#options = options;
    this.#linesToSkip = options.skipLines;
  }

  /** The rows that are complete with this piece. */
  *read(piece: string): Generator<Row | ImportProblem> {
    const added = this.#lineBreak === '\r' ? piece.replaceAll('\r', '\n') : piece;
    this.#text = this.#text.slice(this.#start) + added;
    this.#start = 0;
    if (this.#lineBreak === null) {
      // A CR at the very end may be the first half of CRLF, which needs no change: it ends with LF.
      this.#lineBreak = /\r\n|\r(?!$)|\n/.exec(this.#text)?.[0] ?? null;
      if (this.#lineBreak === '\r') this.#text = this.#text.replaceAll('\r', '\n');
    }
    yield* this.#take(false);
  }

  /** What is left when the text is over. */
  *end(): Generator<Row | ImportProblem> {
    if (this.#start < this.#text.length) this.#text += '\n';
    yield* this.#take(true);
  }

  *#take(isEnd: boolean): Generator<Row | ImportProblem> {
    if (!this.#skipLines()) return;
    for (;;) {
      const { spans, rest } = this.#split();
      const goesOn = yield* this.#parse(spans);
      if (goesOn) continue;
      if (this.#text.length - this.#start > maxRowLength) {
        yield this.#dropFirstLine('is longer than 1 MiB, or a quote is not closed');
      } else if (isEnd && rest === 'quoted') {
        yield this.#dropFirstLine('opens a quote that is not closed');
      } else return;
      if (!this.#skipLines()) return;
    }
  }

  /** False when there is no more text. */
  #skipLines(): boolean {
    while (this.#isDropping || this.#linesToSkip > 0) {
      const end = this.#text.indexOf('\n', this.#start);
      if (end === -1) {
        this.#text = '';
        this.#start = 0;
        return false;
      }
      this.#start = end + 1;
      this.#line += 1;
      if (this.#isDropping) this.#isDropping = false;
      else this.#linesToSkip -= 1;
    }
    return true;
  }

  #dropFirstLine(reason: string): ImportProblem {
    this.#countBrokenQuote();
    this.#isDropping = true;
    return { line: this.#line, reason };
  }

  #countBrokenQuote(): void {
    this.#brokenQuotes += 1;
    if (this.#brokenQuotes <= maxBrokenQuotes) return;
    throw new UnreadableFile(
      `more than ${maxBrokenQuotes} rows have broken quotes: is the quote of the mapping that of the file?`,
    );
  }

  /** The complete rows of what is held, and what the text ends in. */
  #split(): { spans: Span[]; rest: 'quoted' | 'unquoted' } {
    const { quote } = this.#options;
    const text = this.#text;
    const spans: Span[] = [];
    let at = this.#start;
    let start = at;
    let line = this.#line;
    let nextQuote = quote === null ? -1 : text.indexOf(quote, at);
    for (;;) {
      const lineFeed = text.indexOf('\n', at);
      if (nextQuote !== -1 && (lineFeed === -1 || nextQuote < lineFeed)) {
        const closing = text.indexOf(quote ?? '', nextQuote + 1);
        if (closing === -1) return { spans, rest: 'quoted' };
        at = closing + 1;
        nextQuote = text.indexOf(quote ?? '', at);
        continue;
      }
      if (lineFeed === -1) return { spans, rest: 'unquoted' };
      spans.push({ start, end: lineFeed, line });
      line += countLineFeeds(text, start, lineFeed) + 1;
      at = lineFeed + 1;
      start = at;
    }
  }

  /** True when rows have to be split anew, because a broken quote made one of several lines. */
  *#parse(spans: readonly Span[]): Generator<Row | ImportProblem, boolean> {
    const last = spans.at(-1);
    if (last === undefined) return false;
    const all = this.#cellsOf(this.#text.slice(this.#start, last.end + 1));
    for (const [index, span] of spans.entries()) {
      const { start, end, line } = span;
      const isTooLong = end - start > maxRowLength;
      const cells =
        all?.length === spans.length
          ? all[index]
          : this.#cellsOf(this.#text.slice(start, end + 1))?.[0];
      if (cells !== undefined && !isTooLong) {
        yield { line, cells };
        continue;
      }
      yield { line, reason: isTooLong ? 'is longer than 1 MiB' : 'has a broken quote' };
      const lineEnd = this.#text.indexOf('\n', start);
      if (lineEnd === end) continue;
      this.#countBrokenQuote();
      this.#start = lineEnd + 1;
      this.#line = line + 1;
      return true;
    }
    this.#start = last.end + 1;
    this.#line = last.line + countLineFeeds(this.#text, last.start, last.end) + 1;
    return false;
  }

  /** Undefined when it has a broken quote. */
  #cellsOf(text: string): string[][] | undefined {
    const { delimiter, quote } = this.#options;
    try {
      return parse(text, {
        delimiter,
        quote: quote ?? false,
        escape: quote,
        record_delimiter: ['\r\n', '\n'],
        relax_column_count: true,
      });
    } catch {
      return undefined;
    }
  }
}

function countLineFeeds(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at < end && at !== -1; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}
