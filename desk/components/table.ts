import { type Html, html, nothing } from '../html.ts';

type Cell = string | Html;

interface Sort {
  readonly href: string;
  /** Absent if the table isn't sorted by this column. */
  readonly direction?: 'ascending' | 'descending' | undefined;
}

interface DescribedColumn {
  readonly heading: string;
  readonly kind: 'number' | 'actions' | 'text';
  readonly sort?: Sort;
}

/** A plain string is the heading of a text column. */
export type Column = string | DescribedColumn;

const describe = (column: Column): DescribedColumn =>
  typeof column === 'string' ? { heading: column, kind: 'text' } : column;

/** In a narrow window, rows can become blocks without headings, so the page also needs a form for sorting. */
export const sortable = (column: Column, sort: Sort): Column => ({ ...describe(column), sort });

export const numbers = (heading: string): Column => ({ heading, kind: 'number' });

/** A column of buttons. Its heading is only for screen readers. */
export const actions = (heading: string): Column => ({ heading, kind: 'actions' });

interface Table {
  readonly label: string;
  /** The first column names the row. */
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /**
   * True if rows become blocks in a narrow window. Otherwise the table scrolls, which is better for comparing figures.
   */
  readonly isBlocks?: boolean;
}

/** If CSS shows rows as blocks, browsers forget that this is a table. So the table needs explicit ARIA roles. */
export function table({ label, columns, rows, isBlocks = false }: Table): Html {
  const described = columns.map(describe);
  const role = (name: string) => (isBlocks ? html` role="${name}"` : nothing);
  const heading = (column: DescribedColumn) =>
    html`<th scope="col"${role('columnheader')}${classes[column.kind]}${column.sort?.direction && html` aria-sort="${column.sort.direction}"`}>${headingContent(column)}</th>`;
  const cell = (content: Cell, { heading, kind }: DescribedColumn) =>
    html`<td${role('cell')}${classes[kind]}${isBlocks && kind !== 'actions' ? html` data-label="${heading}"` : nothing}>${content}</td>`;
  const row = (cells: readonly Cell[]) =>
    html`<tr${role('row')}>${described.map((column, index) =>
      index === 0
        ? html`<th scope="row"${role('rowheader')}${classes[column.kind]}>${cells[0]}</th>`
        : cell(cells[index] ?? nothing, column),
    )}</tr>`;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${role('table')}${isBlocks ? html` class="blocks"` : nothing}>
<thead${role('rowgroup')}><tr${role('row')}>${described.map(heading)}</tr></thead>
<tbody${role('rowgroup')}>${rows.map(row)}</tbody></table></div>`;
}

/**
 * Shows a sortable heading as a link and as plain text. CSS hides the link of blocks, because a hidden heading must not
 * take the keyboard focus.
 */
function headingContent({ heading, kind, sort }: DescribedColumn): Cell {
  if (kind === 'actions') return html`<span class="visually-hidden">${heading}</span>`;
  return sort === undefined
    ? heading
    : html`<a class="sort" href="${sort.href}">${heading}</a><span class="unsorted">${heading}</span>`;
}

const classes = { number: html` class="number"`, actions: html` class="doing"`, text: nothing };
