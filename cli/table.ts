import { styleText } from 'node:util';
import { escapeControls } from '../gateway/logs/escape-controls.ts';

const gap = '  ';
const segmenter = new Intl.Segmenter('en');

/** A column: its header and how a row shows in it. Null shows as a dash. */
export type Column<Row> = readonly [header: string, cell: (row: Row) => string | null];

/** Text for a terminal of so many columns. */
export type Render = (width: number) => string;

/**
 * Aligned columns under a header, or the given line when there are no rows. Columns come in the order of their worth:
 * where the terminal is too narrow, those are left out for which there is no room, and a line says how to see them.
 */
export const renderTable =
  <Row>(columns: readonly Column<Row>[], rows: readonly Row[], whenEmpty = ''): Render =>
  (width) => {
    if (rows.length === 0) return whenEmpty;
    const all = columns.map(([header, cell]) => {
      const cells = rows.map((row) => escapeControls(cell(row) ?? '-'));
      return { header, cells, width: Math.max(...[header, ...cells].map(widthOf)) };
    });
    let room = width;
    const shown = all.filter((column, index) => {
      const needed = index === 0 ? column.width : gap.length + column.width;
      if (index > 0 && needed > room) return false;
      room -= needed;
      return true;
    });
    const line = (cellOf: (column: (typeof all)[number]) => string) =>
      shown
        .map((column) => cellOf(column) + ' '.repeat(column.width - widthOf(cellOf(column))))
        .join(gap)
        .trimEnd();
    const lines = [
      styleText(
        'bold',
        line(({ header }) => header),
      ),
      ...rows.map((_, index) => line(({ cells }) => cells[index] ?? '')),
    ];
    const hidden = all.filter((column) => !shown.includes(column)).map(({ header }) => header);
    if (hidden.length > 0)
      lines.push('', `No room for ${hidden.join(', ')}: pipe it into less -S, or add --json.`);
    return lines.join('\n');
  };

/** Something, and below it something else. */
export const followedBy =
  (first: Render, second: string | Render): Render =>
  (width) =>
    `${first(width)}\n${typeof second === 'string' ? second : second(width)}`;

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
