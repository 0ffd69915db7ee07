import { readPeriodHeading, type ScannedDate } from './dates.ts';
import { type ColumnName, isDerived, type KnownHeading, readHeading } from './headings.ts';
import { RefusedFile } from './refused-file.ts';
import { isEmptyCell, type Sheet, type SheetRow, textOf } from './sheet.ts';

export interface Layout {
  readonly headings: SheetRow;
  /** The index of the first row below the headings. */
  readonly start: number;
  readonly columns: ReadonlyMap<ColumnName, number>;
  /** The columns with a period as heading. Null if each row contains its period in a cell. */
  readonly periods: readonly PeriodColumn[] | null;
  readonly leftOut: readonly number[];
  /** The currency that a heading such as `Amount (EUR)` names. */
  readonly currency: string | null;
}

interface PeriodColumn {
  readonly at: number;
  readonly date: ScannedDate;
}

const maxTitleRows = 20;

const required: readonly ColumnName[] = ['key', 'period', 'raw_value'];

/** @throws RefusedFile */
export function findLayout({ rows }: Sheet): Layout {
  const candidates = rows.slice(0, maxTitleRows).map(readHeadings);
  const at = candidates.findIndex(isComplete);
  const found = candidates[at];
  if (found === undefined) throw new RefusedFile(describeMissingLayout(candidates));
  const { clash } = found;
  if (clash !== null) throw new RefusedFile({ code: 'two_columns', headings: clash });
  refuseScale(rows.slice(0, at));
  return { ...found, start: at + 1 };
}

/** Matches a title that gives a unit, such as `All figures in EUR thousands`. */
const scaleWords =
  /\b(?:thousands?|millions?|billions?|tausend|tsd|millionen|mio|milliarden|mrd|milliers|milliards|[tkm](?:eur|usd|gbp|chf))\b|\b[tkm]\s?[€$£]|[€$£]\s?[km]\b|\bin\s+[tk]\b|'000\b/iu;

function refuseScale(titles: readonly SheetRow[]): void {
  for (const { cells, line } of titles) {
    const text = cells.map(textOf).find((one) => scaleWords.test(one));
    if (text !== undefined) throw new RefusedFile({ code: 'scaled', line, text });
  }
}

export const hasLayout = ({ rows }: Sheet): boolean =>
  rows.slice(0, maxTitleRows).map(readHeadings).some(isComplete);

/** Returns the first company ID in the column `company_id`, or null. */
export function companyOf(sheet: Sheet): string | null {
  const { columns, start } = findLayout(sheet);
  const at = columns.get('company_id');
  if (at === undefined) return null;
  const row = sheet.rows.slice(start).find(({ cells }) => !isEmptyCell(cells[at]));
  return row === undefined ? null : textOf(row.cells[at]);
}

type Candidate = Omit<Layout, 'start'> & {
  /** The headings of two columns that have the same meaning. */
  readonly clash: readonly [string, string] | null;
};

const isComplete = ({ columns, periods }: Candidate): boolean =>
  columns.has('key') && (periods !== null || required.every((name) => columns.has(name)));

function describeMissingLayout(candidates: readonly Candidate[]) {
  const [best] = candidates.toSorted((one, other) => other.columns.size - one.columns.size);
  if (best === undefined) return { code: 'no_rows' } as const;
  if (best.columns.size < 2 && !best.columns.has('key')) return { code: 'no_heading' } as const;
  const columns = required.filter((name) => !best.columns.has(name));
  return { code: 'missing_columns', columns } as const;
}

interface HeadingCell extends KnownHeading {
  readonly at: number;
}

function readHeadings(headings: SheetRow): Candidate {
  const { cells } = headings;
  const headingCells = cells.flatMap((cell, at): HeadingCell[] => {
    const heading = typeof cell === 'string' ? readHeading(cell) : null;
    return heading === null ? [] : [{ ...heading, at }];
  });
  const byName = Map.groupBy(headingCells, ({ name }) => name);
  const columns = new Map<ColumnName, number>();
  let clash: Candidate['clash'] = null;
  for (const [name, all] of byName) {
    const exact = all.filter(({ isExact }) => isExact);
    const [first, second] = exact.length > 0 ? exact : all;
    if (first !== undefined) columns.set(name, first.at);
    if (first !== undefined && second !== undefined) {
      clash ??= [textOf(cells[first.at]), textOf(cells[second.at])];
    }
  }
  replaceMissing(columns);
  const periods = findPeriods(headings, columns);
  if (periods !== null) {
    for (const name of ['period', 'raw_value', 'value'] as const) columns.delete(name);
    const groups = Map.groupBy(periods, ({ date }) => JSON.stringify(date)).values();
    const [one, other] = groups.find(({ length }) => length > 1) ?? [];
    if (one !== undefined && other !== undefined)
      clash ??= [textOf(cells[one.at]), textOf(cells[other.at])];
  }
  const usedColumns = new Set([...columns.values(), ...(periods ?? []).map(({ at }) => at)]);
  const leftOut = [...cells.keys()].filter(
    (at) => !usedColumns.has(at) && !isEmptyCell(cells[at]) && !isDerived(textOf(cells[at])),
  );
  const amount = headingCells.find(({ at }) => at === columns.get('raw_value'));
  return { headings, columns, periods, leftOut, currency: amount?.currency ?? null, clash };
}

/** If a column is missing, uses a similar column instead. */
function replaceMissing(columns: Map<ColumnName, number>): void {
  for (const [name, other] of [
    ['key', 'label'],
    ['raw_value', 'value'],
  ] as const) {
    const at = columns.get(other);
    if (columns.has(name) || at === undefined) continue;
    columns.set(name, at);
    columns.delete(other);
  }
}

function findPeriods(
  { cells }: SheetRow,
  columns: Map<ColumnName, number>,
): readonly PeriodColumn[] | null {
  if (columns.has('period') && columns.has('raw_value')) return null;
  const taken = new Set(columns.values());
  const periods = cells.flatMap((cell, at): PeriodColumn[] => {
    const date = taken.has(at) || isEmptyCell(cell) ? null : readPeriodHeading(cell);
    return date === null ? [] : [{ at, date }];
  });
  const [first, second] = periods;
  if (first === undefined) return null;
  // In a pivot table, the column with the metric names has no heading.
  if (!columns.has('key') && second !== undefined && first.at > 0 && isEmptyCell(cells[0])) {
    columns.set('key', 0);
  }
  return columns.has('key') ? periods : null;
}

/** Returns the letters of a column by its index, for example `D` for 3. */
export function columnLetters(at: number): string {
  let letters = '';
  for (let rest = at + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
