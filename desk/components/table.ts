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

/** A string is the heading of a column of text. */
export type Column = string | DescribedColumn;

const describe = (column: Column): DescribedColumn =>
  typeof column === 'string' ? { heading: column, kind: 'text' } : column;

/** In a narrow window, rows can become blocks without headings. Such a page also needs a form for sorting. */
export const sortable = (column: Column, sort: Sort): Column => ({ ...describe(column), sort });

export const numbers = (heading: string): Column => ({ heading, kind: 'number' });

/** A column of buttons. Only screen readers get its heading. */
export const actions = (heading: string): Column => ({ heading, kind: 'actions' });

interface Table {
  readonly label: string;
  /** The first column names the row. */
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** True if rows become blocks in a narrow window. Otherwise the table scrolls, which suits figures to compare. */
  readonly isBlocks?: boolean;
}

/** If a style shows rows as blocks, browsers drop the roles of the table. So the roles are explicit. */
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
 * If rows are blocks, the headings are hidden, so their links must not take the focus. A style then hides the link and
 * shows the text.
 */
function headingContent({ heading, kind, sort }: DescribedColumn): Cell {
  if (kind === 'actions') return html`<span class="visually-hidden">${heading}</span>`;
  return sort === undefined
    ? heading
    : html`<a class="sort" href="${sort.href}">${heading}</a><span class="unsorted">${heading}</span>`;
}

const classes = { number: html` class="number"`, actions: html` class="doing"`, text: nothing };
