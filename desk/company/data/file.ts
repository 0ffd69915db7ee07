import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { formatAmount, type Metric, maxUploadedRecords } from '#core';
import {
  csvLine,
  type Encoding,
  encodings,
  metricCells,
  metricColumns,
  metricFieldsOf,
  plainCell,
  readTable,
  UnreadableFile,
} from '#http';

export const maxFileBytes = 10 * 1024 * 1024;

/** As it is sent back for the push: in a field of a form, where each three bytes are four characters. */
export const maxKeptBytes = Math.ceil((maxFileBytes * 4) / 3) + 64 * 1024;

/** What a person fills in. What the service makes of it itself, revisions and signatures, an upload may have and need not. */
const templateColumns = [
  'key',
  'label',
  'currency',
  'period',
  'raw_value',
  'value',
  'category',
  'confidence',
  'as_of',
  'source.system',
  'source.method',
  'source.last_synced',
  'verification.verified',
  'verification.source_signature',
];

const requiredColumns = [
  'key',
  'period',
  'raw_value',
  'source.system',
  'source.method',
  'source.last_synced',
];

/** Programs for tables know by the mark that a file is in UTF-8. */
const byteOrderMark = '\ufeff';

/** The given metrics as a file to fill in. What follows from other cells is left out, so that it follows them further. */
export function* templateCsv(metrics: readonly Metric[]): Generator<string> {
  yield byteOrderMark + csvLine(templateColumns);
  for (const metric of metrics) {
    const { rawValue, currency, value, asOf, source } = metric;
    const cells = new Map(metricColumns.map((name, at) => [name, metricCells(metric)[at] ?? null]));
    if (value === formatAmount(rawValue, currency)) cells.delete('value');
    if (asOf.getTime() === source.lastSynced.getTime()) cells.delete('as_of');
    yield csvLine(templateColumns.map((name) => cells.get(name) ?? null));
  }
}

/** A row that says a record, with the line that it begins in. */
interface UploadedRow {
  readonly line: number;
  readonly fields: object;
  /** Why its amount is none; null: it is one, or missing. */
  readonly amountProblem: string | null;
}

export interface UploadedTable {
  readonly rows: readonly UploadedRow[];
  /** Rows that cannot be read, and why. */
  readonly unreadable: readonly { readonly line: number; readonly reason: string }[];
}

export const isEncoding = (text: string | undefined): text is Encoding =>
  (encodings as readonly (string | undefined)[]).includes(text);

/**
 * The rows of a file in the columns of the template, in any order, or of an export of this service.
 *
 * @param encoding undefined: that of its byte-order mark, or UTF-8
 * @throws UnreadableFile when it is none, or has more rows than may be taken
 */
export async function readUpload(
  bytes: Uint8Array,
  encoding: Encoding | undefined,
): Promise<UploadedTable> {
  const delimiter = delimiterOf(bytes);
  const options = { delimiter, quote: '"', skipLines: 0, hasHeader: true };
  const rows: UploadedRow[] = [];
  const unreadable: { line: number; reason: string }[] = [];
  let columns: ReadonlyMap<string, number> | null = null;
  for await (const row of readTable(pieces(bytes), { ...options, encoding })) {
    if ('reason' in row) {
      unreadable.push(row);
    } else if (columns === null) {
      columns = columnsOf(row.cells);
    } else {
      const { cells, line } = row;
      const placeOf = columns;
      const text = (name: string) => plainCell(cells[placeOf.get(name) ?? -1]?.trim());
      const amount = text('raw_value');
      const amountProblem = findAmountProblem(amount, delimiter);
      const fields = {
        ...metricFieldsOf(text),
        ...(amountProblem !== null && { raw_value: amount }),
      };
      rows.push({ line, fields, amountProblem });
    }
    if (rows.length + unreadable.length > maxUploadedRecords) {
      throw new UnreadableFile(`the file has more than ${maxUploadedRecords} rows`);
    }
  }
  if (rows.length + unreadable.length === 0) {
    throw new UnreadableFile('the file has no row below its header');
  }
  return { rows, unreadable };
}

const plainAmount = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const likeThousands = /^-?[1-9]\d{0,2}\.\d{3}$/;

/**
 * Nothing is guessed: where cells are not divided by commas, decimals may have one, and thousands a point.
 */
function findAmountProblem(amount: string | undefined, delimiter: string): string | null {
  if (amount === undefined) return null;
  if (!plainAmount.test(amount)) {
    return 'is not a number like 1234.56, with a point before the decimals and nothing between thousands';
  }
  if (delimiter === ',' || !likeThousands.test(amount)) return null;
  const thousands = amount.replace('.', '');
  return `is ${thousands} to some and ${amount} to others: write ${thousands} or ${amount}0`;
}

const pieceBytes = 65_536;

/** In between others have their turn. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await new Promise(setImmediate);
  }
}

/** What stands behind the first column of the header: programs for tables write their country's own. */
function delimiterOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 512)).toString('latin1').replaceAll('\0', '');
  return /^[^a-z]*[a-z._]+"?([,;\t])/.exec(head)?.[1] ?? ',';
}

function columnsOf(header: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [place, cell] of header.entries()) {
    const name = cell.trim();
    if (name === '') continue;
    if (!metricColumns.includes(name)) {
      throw new UnreadableFile(
        `the file has a column "${name.slice(0, 60)}", which the template has not`,
      );
    }
    if (places.has(name)) throw new UnreadableFile(`the file has two columns "${name}"`);
    places.set(name, place);
  }
  const missing = requiredColumns.filter((name) => !places.has(name));
  if (missing.length === 0) return places;
  throw new UnreadableFile(
    `the file has no column ${missing.map((name) => `"${name}"`).join(', ')}`,
  );
}

/** A file as a field of a form, for the browser to send it again: no process need keep it. */
export const packFile = (bytes: Uint8Array): string => deflateRawSync(bytes).toString('base64url');

/** Null when the field holds something else. */
export function unpackFile(text: string | undefined): Uint8Array | null {
  try {
    const packed = Buffer.from(text ?? '', 'base64url');
    return packed.length === 0 ? null : inflateRawSync(packed, { maxOutputLength: maxFileBytes });
  } catch {
    return null;
  }
}
