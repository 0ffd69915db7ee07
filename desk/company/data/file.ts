import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isName, type Metric, maxUploadedRecords } from '#core';
import {
  csvLine,
  metricCells,
  metricColumns,
  openSheet,
  type ReadSheet,
  readSheet,
  type SheetAnswers,
} from '#http';
import { csvHeader } from '../../components/csv.ts';

export const maxFileBytes = 10 * 1024 * 1024;

/** The size limit of the packed file in a form. In base64, three bytes become four characters. */
export const maxKeptBytes = Math.ceil((maxFileBytes * 4) / 3) + 64 * 1024;

/** Omits display texts, revisions and signatures, because the service creates them. An uploaded file may have them. */
const templateColumns = [
  'key',
  'label',
  'currency',
  'period',
  'raw_value',
  'category',
  'confidence',
  'as_of',
  'source.system',
  'source.method',
  'source.last_synced',
  'verification.verified',
  'verification.source_signature',
];

/** Leaves cells empty if the service can derive them. They stay correct when the user changes other cells. */
export function* templateCsv(metrics: readonly Metric[]): Generator<string> {
  yield csvHeader(templateColumns);
  for (const metric of metrics) {
    const { asOf, source } = metric;
    const cells = new Map(metricColumns.map((name, at) => [name, metricCells(metric)[at] ?? null]));
    if (asOf.getTime() === source.lastSynced.getTime()) cells.delete('as_of');
    yield csvLine(templateColumns.map((name) => cells.get(name) ?? null));
  }
}

export interface UploadedFile {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly uploadedAt: Date;
  readonly answers: SheetAnswers;
  /** The name of the sheet to read. If null, the first sheet with a table is read. */
  readonly sheet: string | null;
}

export interface PackedFile {
  readonly file: UploadedFile;
  readonly packed: string;
}

export interface UploadedTable extends ReadSheet {
  /** Null if the file isn't a workbook. */
  readonly sheetName: string | null;
  readonly otherSheets: readonly string[];
}

/**
 * Reads the records of a file. If the file is ambiguous, returns questions that the user must answer first.
 *
 * @throws RefusedFile
 */
export async function readUpload(
  { bytes, name, uploadedAt, answers, sheet }: UploadedFile,
  owner: string,
  readKnown: () => Promise<readonly Metric[]>,
): Promise<UploadedTable> {
  const { encoding } = answers;
  const opened = await openSheet({
    ...{ bytes, name, sheet, encoding, owner },
    maxRows: maxUploadedRecords,
  });
  const read = await readSheet(opened, {
    known: await readKnown(),
    answers,
    source: { system: name, method: 'upload', lastSynced: uploadedAt },
    maxRecords: maxUploadedRecords,
  });
  return { ...read, sheetName: opened.name, otherSheets: opened.otherNames };
}

/** Returns the file name of a path, or `upload` if the file name isn't a valid name for a source. */
export function fileNameOf(path: string): string {
  const name = path.split(/[/\\]/).at(-1)?.trim().slice(0, 200) ?? '';
  return isName(name) ? name : 'upload';
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Packs a file into a hidden form field. The browser sends the field back, so the server doesn't store the file. */
export const packFile = async (bytes: Uint8Array): Promise<string> =>
  (await deflate(bytes)).toString('base64url');

/** Returns null if the field doesn't contain a packed file. */
export async function unpackFile(text: string | undefined): Promise<Uint8Array | null> {
  const packed = Buffer.from(text ?? '', 'base64url');
  if (packed.length === 0) return null;
  return inflate(packed, { maxOutputLength: maxFileBytes }).catch(() => null);
}
