import { type Html, html, nothing } from '../html.ts';

type Cell = string | Html;

interface Sort {
  readonly href: string;
  /** Absent if the table isn't sorted by this column. */
  readonly direction?: 'ascending' | 'descending' | undefined;
}

interface KindOfColumn {
  readonly heading: string;
  readonly kind: 'number' | 'actions' | 'text';
  readonly sort?: Sort;
}

/** A string is the heading of a column of text. */
export type Column = string | KindOfColumn;

/** If rows are blocks, headings are hidden, so the page also needs a sort form. */
export const sortable = (column: Column, sort: Sort): Column => ({
  heading: headingOf(column),
  kind: kindOf(column),
  sort,
});

export const numbers = (heading: string): Column => ({ heading, kind: 'number' });

/** Only screen readers get the heading. */
export const actions = (heading: string): Column => ({ heading, kind: 'actions' });

const headingOf = (column: Column): string =>
  typeof column === 'string' ? column : column.heading;

const kindOf = (column: Column | undefined): KindOfColumn['kind'] | 'text' =>
  typeof column === 'object' ? column.kind : 'text';

interface Table {
  readonly label: string;
  /** The first column names the row. */
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** True if rows become blocks in a narrow window. Otherwise the table scrolls, which suits figures to compare. */
  readonly isBlocks?: boolean;
}

/** Rows as blocks need explicit roles, because browsers then drop the roles of the table. */
export function table({ label, columns, rows, isBlocks = false }: Table): Html {
  const role = (name: string) => (isBlocks ? html` role="${name}"` : nothing);
  const heading = (column: Column) => {
    const text = headingOf(column);
    const sort = typeof column === 'object' ? column.sort : undefined;
    const direction = sort?.direction && html` aria-sort="${sort.direction}"`;
    return html`<th scope="col"${role('columnheader')}${classOf(column)}${direction}>${headingContent(column, text, sort)}</th>`;
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

/**
 * If rows are blocks, headings are hidden and must not take the focus. A style then shows the text instead of the link.
 */
function headingContent(column: Column, text: string, sort: Sort | undefined): Cell {
  if (kindOf(column) === 'actions') return html`<span class="visually-hidden">${text}</span>`;
  return sort === undefined
    ? text
    : html`<a class="sort" href="${sort.href}">${text}</a><span class="unsorted">${text}</span>`;
}

const classes = { number: html` class="number"`, actions: html` class="doing"`, text: nothing };

const classOf = (column: Column | undefined): Cell => classes[kindOf(column)];
