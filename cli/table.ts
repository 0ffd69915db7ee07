import { styleText } from 'node:util';
import { escapeControls } from '../gateway/logs/escape-controls.ts';

const gap = '  ';
const segmenter = new Intl.Segmenter('en');

/** A column: its header and how a row shows in it. Null shows as a dash. */
export type Column<Row> = readonly [header: string, cell: (row: Row) => string | null];

/** Aligned columns under a header, or the given line when there are no rows. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  whenEmpty = '',
): string {
  if (rows.length === 0) return whenEmpty;
  const cells = rows.map((row) => columns.map(([, cell]) => escapeControls(cell(row) ?? '-')));
  const headers = columns.map(([header]) => header);
  const widths = headers.map((header, index) =>
    Math.max(...[header, ...cells.map((row) => row[index] ?? '')].map(widthOf)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell)))
      .join(gap)
      .trimEnd();
  return [styleText('bold', line(headers)), ...cells.map(line)].join('\n');
}

/** One thing, a field a line. */
export function renderFields(fields: Readonly<Record<string, string | null>>): string {
  const width = Math.max(...Object.keys(fields).map(widthOf));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}${gap}${escapeControls(value ?? '-')}`)
    .join('\n');
}

/** At most so many characters, the last of them an ellipsis when some are missing. */
export function shorten(text: string, length: number): string {
  const characters = [...segmenter.segment(text)];
  if (characters.length <= length) return text;
  return `${characters
    .slice(0, length - 1)
    .map(({ segment }) => segment)
    .join('')}…`;
}

function widthOf(text: string): number {
  return [...segmenter.segment(text)].length;
}
