import { styleText } from 'node:util';
import { escapeControls } from '../gateway/logs/escape-controls.ts';

const gap = '  ';
const segmenter = new Intl.Segmenter('en');

/** Maps each column header to a field or a function of the row. A missing value appears as a dash. */
export type Columns<Row> = Readonly<Record<string, keyof Row | ((row: Row) => unknown)>>;

export type Render = (width: number) => string;

/**
 * Without rows, renders `whenEmpty`. The most important columns come first. If the terminal is too narrow, a line below
 * the table names the hidden columns.
 */
export const renderTable =
  <Row>(columns: Columns<Row>, rows: readonly Row[], whenEmpty = ''): Render =>
  (width) => {
    if (rows.length === 0) return whenEmpty;
    const all = Object.entries(columns).map(([header, column]) => {
      const cells = rows.map((row) =>
        escapeControls(textOf(typeof column === 'function' ? column(row) : row[column])),
      );
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
      lines.push(
        '',
        `Not enough room for ${hidden.join(', ')}: pipe the output into less -S, or add --json.`,
      );
    return lines.join('\n');
  };

function textOf(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  if (Array.isArray(cell)) return cell.join() || '-';
  return cell === null || cell === undefined ? '-' : JSON.stringify(cell);
}

type Text = string | Render;

export const renderIn = (width: number, text: Text): string =>
  typeof text === 'string' ? text : text(width);

export const followedBy =
  (first: Text, second: Text): Render =>
  (width) =>
    `${renderIn(width, first)}\n${renderIn(width, second)}`;

export function renderFields(fields: Readonly<Record<string, string | null>>): string {
  const width = Math.max(...Object.keys(fields).map(widthOf));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}${gap}${escapeControls(value ?? '-')}`)
    .join('\n');
}

/** Adds an ellipsis if the text is too long. */
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
