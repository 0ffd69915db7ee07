import { readCsvSheet } from './csv-sheet.ts';
import { hasLayout } from './layout.ts';
import type { SheetAnswers } from './questions.ts';
import type { FileRefusal } from './refusal.ts';
import { RefusedFile } from './refused-file.ts';
import type { Sheet } from './sheet.ts';
import { readWorkbook } from './workbook.ts';

export interface SheetFile {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** The sheet that the person chose. Null means the first sheet that contains a table. */
  readonly sheet: string | null;
  readonly encoding: SheetAnswers['encoding'];
  readonly maxRows: number;
  /** The owner of the file. Owners take turns when workbooks are read. Absent on the command line. */
  readonly owner?: string;
}

const maxSheets = 10;
const maxSearchMilliseconds = 10_000;

/** @throws RefusedFile */
export async function openSheet(file: SheetFile): Promise<Sheet> {
  const { bytes, name, sheet, encoding, maxRows, owner = '' } = file;
  const refusal = refusalOf(bytes, name);
  if (refusal !== null) throw new RefusedFile(refusal);
  if (!isZip(bytes)) return readCsvSheet(bytes, { maxRows, encoding });
  const first = await readWorkbook(owner, { bytes, maxRows, sheet });
  if (sheet !== null || hasLayout(first)) return first;
  const searchEnds = performance.now() + maxSearchMilliseconds;
  for (const other of first.otherNames.slice(0, maxSheets)) {
    if (performance.now() > searchEnds) break;
    const found = await readWorkbook(owner, { bytes, maxRows, sheet: other });
    if (hasLayout(found)) return found;
  }
  return first;
}

const startsWith = (bytes: Uint8Array, ...head: readonly number[]): boolean =>
  head.every((byte, at) => bytes[at] === byte);

const isZip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x50, 0x4b, 0x03, 0x04);

const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le');

/** Checks the first bytes and the name of a file. Returns the reason to refuse the file, or null. */
function refusalOf(bytes: Uint8Array, name: string): FileRefusal | null {
  const isNamed = (...endings: readonly string[]) =>
    endings.some((ending) => name.toLowerCase().endsWith(ending));
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) {
    const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
      encryptedPackage,
    );
    return { code: isEncrypted ? 'encrypted' : 'old_workbook' };
  }
  if (isZip(bytes)) return isNamed('.csv', '.tsv', '.txt') ? { code: 'renamed_workbook' } : null;
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1').trimStart();
  if (/^(?:ï»¿)?\s*<|^%PDF|^\{\\rtf/i.test(head) || startsWith(bytes, 0x1f, 0x8b))
    return { code: 'not_a_table' };
  return isNamed('.xlsx', '.xlsm', '.xls') ? { code: 'renamed_text' } : null;
}
