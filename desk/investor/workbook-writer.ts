import { parentPort, workerData } from 'node:worker_threads';
import writeXlsxFile, { type Row } from 'write-excel-file/node';
import type { Workbook } from './workbook.ts';

/** Of a number with more digits a spreadsheet would change the last ones, so such a number stays a text. */
const maxDigits = 15;

const isNumber = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && text.replaceAll(/\D/g, '').length <= maxDigits;

const formats = { date: 'yyyy-mm-dd', instant: 'yyyy-mm-dd hh:mm:ss' } as const;

/** Characters: Excel shows a date as `####` in a narrower column. */
const widths = { number: 14, date: 12, instant: 21 } as const;

/** Excel takes 1900 for a leap year, so earlier dates would be a day off. */
const firstDate = '1900-03-01';

const formOf = { date: /^\d{4}-\d\d-\d\d$/, instant: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ };

const isDate = (text: string, kind: 'date' | 'instant') =>
  formOf[kind].test(text) && text >= firstDate;

/** Text is written as text: whatever it begins with, it isn't a formula. */
function write({ sheet, columns, kinds, rows }: Workbook): Promise<Buffer> {
  const header: Row = columns.map((value) => ({ value, type: String, fontWeight: 'bold' }));
  const kindOf = columns.map((name) => kinds[name]);
  const cells = (row: Workbook['rows'][number]): Row =>
    row.map((text, column) => {
      if (text === null || text === '') return null;
      const kind = kindOf[column];
      if (kind === 'number' && isNumber(text)) return { value: Number(text), type: Number };
      if (kind !== undefined && kind !== 'number' && isDate(text, kind)) {
        return { value: new Date(text), type: Date, format: formats[kind] };
      }
      return { value: text, type: String };
    });
  return writeXlsxFile([header, ...rows.map(cells)], {
    sheet,
    stickyRowsCount: 1,
    columns: kindOf.map((kind) => ({ width: kind === undefined ? 14 : widths[kind] })),
  }).toBuffer();
}

const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

parentPort?.postMessage({ type, bytes: await write(workerData as Workbook) });
