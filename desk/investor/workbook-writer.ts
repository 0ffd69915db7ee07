import { parentPort, workerData } from 'node:worker_threads';
import writeXlsxFile, { type Row } from 'write-excel-file/node';
import type { Workbook } from './workbook.ts';

/** Of a number with more digits a spreadsheet would change the last ones, so such a number stays a text. */
const maxDigits = 15;

const isNumber = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && text.replaceAll(/\D/g, '').length <= maxDigits;

/** A text is written as a text: whatever it begins with, it is no formula. */
function write({ sheet, columns, numeric, rows }: Workbook): Promise<Buffer> {
  const header: Row = columns.map((value) => ({ value, type: String, fontWeight: 'bold' }));
  const isNumeric = columns.map((name) => numeric.includes(name));
  const cells = (row: Workbook['rows'][number]): Row =>
    row.map((text, column) => {
      if (text === null || text === '') return null;
      return isNumeric[column] && isNumber(text)
        ? { value: Number(text), type: Number }
        : { value: text, type: String };
    });
  return writeXlsxFile([header, ...rows.map(cells)], { sheet, stickyRowsCount: 1 }).toBuffer();
}

const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

parentPort?.postMessage({ type, bytes: await write(workerData as Workbook) });
