import { parentPort, workerData } from 'node:worker_threads';
import writeXlsxFile, { type Row } from 'write-excel-file/node';
import type { CellKind, Workbook } from './workbook.ts';

/** A longer number stays text, because a spreadsheet would change its last digits. */
const maxDigits = 15;

const isNumber = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && text.replaceAll(/\D/g, '').length <= maxDigits;

const formats = { date: 'yyyy-mm-dd', instant: 'yyyy-mm-dd hh:mm:ss' } as const;

/** Excel treats 1900 as a leap year, so earlier dates would be off by one day. */
const firstDate = '1900-03-01';

const formOf = { date: /^\d{4}-\d\d-\d\d$/, instant: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ };

const isDate = (text: string, kind: 'date' | 'instant') =>
  formOf[kind].test(text) && text >= firstDate;

const currencyDecimals = new Map<string, number>();

/** 2 for EUR, 0 for JPY. */
const decimalsOf = (currency: string): number =>
  currencyDecimals.getOrInsertComputed(
    currency,
    () =>
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
        .maximumFractionDigits ?? 0,
  );

/** The spreadsheet shows the separators of the user's region for thousands and decimals. */
function amountFormat(text: string, currency: string | null): string {
  const own = text.split('.')[1]?.length ?? 0;
  const decimals = Math.max(own, currency === null ? 0 : decimalsOf(currency));
  return decimals === 0 ? '#,##0' : `#,##0.${'0'.repeat(decimals)}`;
}

/** Text becomes a text cell, because a spreadsheet could read it as a formula. */
function cellOf(text: string, kind: CellKind | undefined, currency: string | null): Row[number] {
  if (kind === 'number' && isNumber(text)) return { value: Number(text), type: Number };
  if (kind === 'amount' && isNumber(text))
    return { value: Number(text), type: Number, format: amountFormat(text, currency) };
  if (kind === 'flag') return { value: text === 'true', type: Boolean };
  if ((kind === 'date' || kind === 'instant') && isDate(text, kind))
    return { value: new Date(text), type: Date, format: formats[kind] };
  return { value: text, type: String };
}

/** Column widths in characters. If a column is too narrow, Excel shows `####` for a date or number, and cuts a text. */
const widths = { least: 8, most: 40, instant: 21 } as const;

/** Returns the width of a cell's text, including thousands separators and some space. */
const lengthOf = (text: string, kind: CellKind | undefined): number =>
  kind === 'amount' ? Math.ceil((text.length * 4) / 3) + 3 : text.length + 2;

function widthOf(name: string, kind: CellKind | undefined, cells: Iterable<string | null>): number {
  if (kind === 'instant') return widths.instant;
  let width = Math.max(widths.least, name.length + 2);
  for (const text of cells) width = Math.max(width, lengthOf(text ?? '', kind));
  return Math.min(width, widths.most);
}

function write({ sheet, columns, rows }: Workbook): Promise<Buffer> {
  const header: Row = columns.map(({ name }) => ({
    value: name,
    type: String,
    fontWeight: 'bold',
  }));
  const cells = (row: Workbook['rows'][number]): Row =>
    columns.map(({ kind, currencyAt = -1 }, at) => {
      const text = row[at] ?? '';
      return text === '' ? null : cellOf(text, kind, row[currencyAt] ?? null);
    });
  return writeXlsxFile([header, ...rows.map(cells)], {
    sheet,
    stickyRowsCount: 1,
    columns: columns.map(({ name, kind }, at) => ({
      width: widthOf(
        name,
        kind,
        rows.values().map((row) => row[at] ?? null),
      ),
    })),
  }).toBuffer();
}

const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

parentPort?.postMessage({ type, bytes: await write(workerData as Workbook) });
