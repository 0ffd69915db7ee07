import writeXlsxFile, { type Row } from 'write-excel-file/node';

type Cells = readonly (string | null)[];

/** Of a number with more digits a spreadsheet would change the last ones, so such a number stays a text. */
const maxDigits = 15;

const isNumber = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && text.replaceAll(/\D/g, '').length <= maxDigits;

/** More rows than a sheet may hold would be no sheet. */
const maxSheetRows = 100_000;

/** A workbook of one sheet. A text is written as a text: whatever it begins with, it is no formula. */
export function writeWorkbook(
  sheet: string,
  columns: readonly string[],
  rows: readonly Cells[],
): Promise<Buffer> {
  const numeric = columns.map((name) => name === 'raw_value' || name === 'revision');
  const header: Row = columns.map((value) => ({ value, type: String, fontWeight: 'bold' }));
  const cells = (row: Cells): Row =>
    row.map((text, column) => {
      if (text === null || text === '') return null;
      return numeric[column] && isNumber(text)
        ? { value: Number(text), type: Number }
        : { value: text, type: String };
    });
  const data = [header, ...rows.slice(-maxSheetRows).map(cells)];
  return writeXlsxFile(data, { sheet, stickyRowsCount: 1 }).toBuffer();
}
