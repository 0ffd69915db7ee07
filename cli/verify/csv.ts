import { Readable } from 'node:stream';
import { type Info, parse } from 'csv-parse';
import type { InputDocument } from './json-document.ts';

const maxRowBytes = 1_048_576;

/** Only CSV files of this service have a column `verification.signature`. */
export const isMetricCsv = (firstLine: string): boolean =>
  /(?:^|[,"])verification\.signature(?:[,"\r\n]|$)/.test(firstLine);

/** Yields the metric, the receipt or the head of each row of a history or an export. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<InputDocument> {
  const rows = Readable.from(chunks).compose(
    parse({ bom: true, columns: checkNames, info: true, max_record_size: maxRowBytes }),
  );
  let line = 1;
  try {
    for await (const { record, info } of rows as AsyncIterable<{ record: Row; info: Info }>) {
      line = info.lines;
      yield { line, value: toDocument(record) };
    }
  } catch (error) {
    if (!isCsvError(error)) throw error;
    yield { line: line + 1, value: null, problem: `cannot be read as CSV: ${error.message}` };
  }
}

type Row = Readonly<Record<string, string>>;

/** If two columns had the same name, only one of them would be verified. */
function checkNames(names: string[]): string[] {
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new Error(`the column ${duplicate} appears twice`);
  return names;
}

function toDocument(row: Row): unknown {
  const filled = Object.keys(row).filter((name) => row[name] !== '');
  const isReceipt = (name: string) => name.startsWith('receipt.');
  const isHead = (name: string) => name === 'receipts.head';
  const found: object[] = [
    ...(filled.some(isReceipt) ? [toReceipt(row)] : []),
    ...(filled.some(isHead) ? [{ head: textOf(row, 'receipts.head') }] : []),
  ];
  const isMetric = found.length === 0 || filled.some((name) => !isReceipt(name) && !isHead(name));
  if (isMetric) found.unshift(toMetric(row));
  return found.length === 1 ? found[0] : found;
}

/** Returns undefined if the cell is empty or the column is missing. */
function textOf(row: Row, name: string): string | undefined {
  const cell = Object.hasOwn(row, name) ? row[name] : undefined;
  // The service writes an apostrophe before a text that looks like a formula. This line removes it.
  return cell?.replace(/^'/, '') || undefined;
}

const toReceipt = (row: Row) => ({
  object: 'consent_receipt',
  id: textOf(row, 'receipt.id'),
  jws: textOf(row, 'receipt.jws'),
});

function toMetric(row: Row) {
  const text = (name: string) => textOf(row, name);
  const revision = text('revision');
  return {
    company_id: text('company_id'),
    key: text('key'),
    currency: Object.hasOwn(row, 'currency') ? (text('currency') ?? null) : undefined,
    period: text('period'),
    // The cell of a voided revision is empty, but the signature contains null.
    raw_value: text('raw_value') ?? null,
    as_of: text('as_of'),
    source: {
      system: text('source.system'),
      method: text('source.method'),
      last_synced: text('source.last_synced'),
    },
    verification: {
      signed: text('verification.signed') !== 'false',
      signature: text('verification.signature'),
      public_key_url: text('verification.public_key_url'),
    },
    revision: revision === undefined ? undefined : Number(revision),
    signed_at: text('signed_at'),
  };
}

function isCsvError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_');
}
