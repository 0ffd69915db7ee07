import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

type Cell = string | Html;

/** Of a table of figures: its cells are as wide as their words, and it scrolls. */
export const ofFigures = html` class="figures"`;

/**
 * A table that scrolls where it is too wide. The first cell of a row names it.
 *
 * @param numbers the columns, counted from 0, whose cells stand below each other by their last digit
 */
export const table = (
  label: string,
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  attributes: Cell = nothing,
  numbers: readonly number[] = [],
): Html => {
  const classOf = (column: number) => (numbers.includes(column) ? html` class="number"` : nothing);
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${attributes}>
<thead><tr>${headings.map((heading, column) => html`<th scope="col"${classOf(column)}>${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell, column) => html`<td${classOf(column + 1)}>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
};

/** The way to the next page of a list, where there is one. */
export function older(
  path: string,
  search: { readonly cursor: string | null; readonly [filter: string]: string | null | undefined },
  m: Messages,
): Cell {
  if (search.cursor === null) return nothing;
  const kept = Object.entries(search).filter((each): each is [string, string] => each[1] != null);
  return html`<a class="button" rel="next" href="${path}?${new URLSearchParams(kept).toString()}">${m.more}</a>`;
}

/** A list to choose one from, or none: then what is shown is not narrowed by it. */
export const select = (
  name: string,
  none: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string | undefined,
): Html =>
  html`<select id="${name}" name="${name}"><option value="">${none}</option>
${options.map(
  ([value, text]) =>
    html`<option value="${value}"${value === chosen ? html` selected` : nothing}>${text}</option>`,
)}</select>`;
