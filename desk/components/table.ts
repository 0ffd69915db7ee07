import { type Html, html, nothing } from '../html.ts';

type Cell = string | Html;

interface KindOfColumn {
  readonly heading: string;
  readonly kind: 'number' | 'actions';
}

/** A heading, and what stands below it where that is no text. */
export type Column = string | KindOfColumn;

/** Cells that stand below each other by their last digit. */
export const numbers = (heading: string): Column => ({ heading, kind: 'number' });

/** Cells that hold what can be done about the row; the heading is only read out. */
export const actions = (heading: string): Column => ({ heading, kind: 'actions' });

const headingOf = (column: Column): string =>
  typeof column === 'string' ? column : column.heading;

const kindOf = (column: Column | undefined): KindOfColumn['kind'] | 'text' =>
  typeof column === 'object' ? column.kind : 'text';

interface Table {
  /** What the table shows, for whoever cannot see it. */
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether a row becomes a block where the window is narrow; else the table scrolls. Figures that are compared scroll. */
  readonly isBlocks?: boolean;
}

/** A table to compare in. Where rows may become blocks, its parts say what they are, because browsers forget it then. */
export function table({ label, columns, rows, isBlocks = false }: Table): Html {
  const role = (name: string) => (isBlocks ? html` role="${name}"` : nothing);
  const heading = (column: Column) => {
    const text = headingOf(column);
    return html`<th scope="col"${role('columnheader')}${classOf(column)}>${kindOf(column) === 'actions' ? html`<span class="visually-hidden">${text}</span>` : text}</th>`;
  };
  const cell = (content: Cell, column: Column | undefined) => {
    const isLabelled = isBlocks && column !== undefined && kindOf(column) !== 'actions';
    return html`<td${role('cell')}${classOf(column)}${isLabelled ? html` data-label="${headingOf(column)}"` : nothing}>${content}</td>`;
  };
  const row = ([name, ...cells]: readonly Cell[]) =>
    html`<tr${role('row')}><th scope="row"${role('rowheader')}${classOf(columns[0])}>${name}</th>${cells.map((each, index) => cell(each, columns[index + 1]))}</tr>`;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${role('table')}${isBlocks ? html` class="blocks"` : nothing}>
<thead${role('rowgroup')}><tr${role('row')}>${columns.map(heading)}</tr></thead>
<tbody${role('rowgroup')}>${rows.map(row)}</tbody></table></div>`;
}

const classes = { number: html` class="number"`, actions: html` class="doing"`, text: nothing };

const classOf = (column: Column | undefined): Cell => classes[kindOf(column)];
