/** A text, or a typed value from a workbook. A typed value doesn't depend on a language or country. */
export type Cell = string | NumberCell | DateCell | FlagCell | ErrorCell;

interface NumberCell {
  readonly kind: 'number';
  /** A plain decimal number. */
  readonly text: string;
  readonly isPercent: boolean;
  readonly currency: string | null;
}

interface DateCell {
  readonly kind: 'date';
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** In the form `HH:MM:SS`. Null means midnight. */
  readonly time: string | null;
  /** True if the number format of the cell shows the month without a day. */
  readonly isMonth: boolean;
}

interface FlagCell {
  readonly kind: 'flag';
  readonly value: boolean;
}

interface ErrorCell {
  readonly kind: 'error';
  /** The error that the cell shows, for example `#REF!`. */
  readonly text: string;
}

export interface SheetRow {
  /** The first line of the row, counted from 1. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** The number of cells, including the empty cells at the end. Absent in a workbook. */
  readonly width?: number;
}

export type LineFlaw = 'broken_quote' | 'open_quote' | 'long_line' | 'wide_line' | 'bad_character';

export interface Sheet {
  /** Rows with at least one cell. */
  readonly rows: readonly SheetRow[];
  readonly flaws: readonly { readonly line: number; readonly flaw: LineFlaw }[];
  /** The name of the sheet. Null for a CSV file. */
  readonly name: string | null;
  readonly otherNames: readonly string[];
  /** True if the file quoted each line as a single cell. The lines were then split into cells. */
  readonly isSplit: boolean;
  /** The encoding of the file. Null for a workbook. */
  readonly encoding: string | null;
  /** A word that can be read in two ways. Null if the encoding is certain. */
  readonly encodingExample: EncodingExample | null;
}

export interface EncodingExample {
  readonly line: number;
  readonly readings: Readonly<Record<'macintosh' | 'windows-1252', string>>;
}

export const maxColumns = 2_000;

/** The number of titles, notes and totals that a file may have in addition to its records. */
export const otherRows = 100;

export const isEmptyCell = (cell: Cell | undefined): boolean =>
  cell === undefined || (typeof cell === 'string' && cell.trim() === '');

/** Returns the text of a cell as a person sees it. */
export function textOf(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  if (typeof cell === 'string') return cell.trim();
  switch (cell.kind) {
    case 'number':
      return cell.isPercent ? `${shiftPoint(cell.text, 2)}%` : cell.text;
    case 'date':
      return cell.isMonth ? cell.day.slice(0, 7) : cell.day;
    case 'flag':
      return cell.value ? 'TRUE' : 'FALSE';
    case 'error':
      return cell.text;
  }
}

/** Multiplies a plain decimal number by a power of ten, without rounding. */
export function shiftPoint(text: string, places: number): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  const digits =
    whole.padStart(Math.max(1, 1 - places), '0') + fraction.padEnd(Math.max(0, places), '0');
  const point = digits.length - Math.max(fraction.length, places) + places;
  return plainDecimal(`${sign}${digits.slice(0, point)}.${digits.slice(point)}`);
}

/** Returns the shortest form of a decimal number. For example, `0012.50` becomes `12.5`, and `-0` becomes `0`. */
export function plainDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(text) ?? [];
  const integer = whole.replace(/^0+(?=\d)/, '') || '0';
  const rest = fraction.replace(/0+$/, '');
  const magnitude = rest === '' ? integer : `${integer}.${rest}`;
  return sign === '-' && /[1-9]/.test(magnitude) ? `-${magnitude}` : magnitude;
}
