import type { ImportProblem } from '#core';
import { decodeText, findUnreadableCharacter, UnreadableFile } from '../csv/encoding.ts';
import { type Row, RowReader, rowFlaws } from '../csv/rows.ts';
import { maxBlankRows } from '../csv/table.ts';
import { detectDelimiter, splitLine } from './delimiter.ts';
import { detectEncoding } from './encoding.ts';
import { RefusedFile } from './refused-file.ts';
import { type LineFlaw, maxColumns, otherRows, type Sheet, type SheetRow } from './sheet.ts';

const pieceBytes = 65_536;

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

interface Options {
  readonly maxRows: number;
  readonly encoding: 'macintosh' | 'windows-1252' | undefined;
}

/**
 * Detects the encodings and separators that spreadsheet programs write.
 *
 * @throws RefusedFile
 */
export async function readCsvSheet(bytes: Uint8Array, options: Options): Promise<Sheet> {
  const { encoding: detected, example } = detectEncoding(bytes, options.encoding);
  const rows: SheetRow[] = [];
  const flaws: { line: number; flaw: LineFlaw }[] = [];
  let blankRows = 0;
  let encoding = detected ?? 'utf-8';
  let reader: RowReader | null = null;
  let delimiter = ',';
  let wholeLines = 0;
  const take = (found: readonly (Row | ImportProblem)[]): void => {
    for (const row of found) {
      if ('reason' in row) {
        flaws.push({ line: row.line, flaw: flawOf(row.reason) });
        continue;
      }
      const cells = trimEnd(row.cells);
      if (cells.length === 0) {
        blankRows += 1;
        if (blankRows > maxBlankRows)
          throw new RefusedFile({ code: 'blank_rows', most: maxBlankRows });
        continue;
      }
      const { line } = row;
      if (cells.length > maxColumns) {
        flaws.push({ line, flaw: 'wide_line' });
        continue;
      }
      if (findUnreadableCharacter(cells.join(), encoding) !== null) {
        flaws.push({ line, flaw: 'bad_character' });
        continue;
      }
      const [only = ''] = cells;
      const isWhole = cells.length === 1 && only.includes(delimiter);
      if (isWhole) wholeLines += 1;
      const all = isWhole ? splitLine(only, delimiter) : row.cells;
      rows.push({ line, cells: isWhole ? trimEnd(all) : cells, width: all.length });
    }
    if (rows.length + flaws.length > options.maxRows + otherRows) {
      throw new RefusedFile({ code: 'too_many_rows', most: options.maxRows });
    }
  };
  try {
    for await (const { text, encoding: detectedEncoding } of decodeText(pieces(bytes), detected)) {
      encoding = detectedEncoding;
      if (reader === null) {
        if (text === '') continue;
        const found = detectDelimiter(text);
        delimiter = found.delimiter;
        reader = new RowReader({ delimiter, quote: '"', skipLines: found.isNamed ? 1 : 0 });
      }
      for await (const part of reader.read(text)) take(part);
    }
    if (reader !== null) for await (const part of reader.end()) take(part);
  } catch (error) {
    if (error instanceof RefusedFile || !(error instanceof UnreadableFile)) throw error;
    throw new RefusedFile({ code: 'broken_quotes' });
  }
  const ofFile = { name: null, otherNames: [], encoding, encodingExample: example };
  return { rows, flaws, isSplit: wholeLines > 0 && wholeLines * 2 >= rows.length, ...ofFile };
}

const flawOf = (reason: string): LineFlaw =>
  reason === rowFlaws.brokenQuote
    ? 'broken_quote'
    : reason === rowFlaws.openQuote
      ? 'open_quote'
      : 'long_line';

const trimEnd = (cells: readonly string[]): readonly string[] =>
  cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
