import { withQuery } from '../address.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

interface Empty {
  readonly title: string;
  /** What to do, or what happens next. */
  readonly text?: string | Html;
  /** Where that is done. */
  readonly action?: Html | string;
}

/** What stands where a list has nothing. */
export const emptyState = ({ title, text = nothing, action = nothing }: Empty): Html =>
  html`<div class="empty"><p><strong>${title}</strong></p>${text && html`<p class="hint">${text}</p>`}${action && html`<p>${action}</p>`}</div>`;

/** The way to the next page of a list, where there is one. */
export function older(
  path: string,
  search: { readonly cursor: string | null; readonly [filter: string]: string | null | undefined },
  m: Messages,
): Html | string {
  if (search.cursor === null) return nothing;
  return html`<a class="button" rel="next" href="${withQuery(path, search)}">${m.more}</a>`;
}

/** A list to choose one from, or none: then what is shown is not narrowed by it. */
export const select = (
  name: string,
  none: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string | undefined,
): Html =>
  html`<select id="${name}" name="${name}"><option value="">${none}</option>
${optionsOf(options, chosen)}</select>`;

export const optionsOf = (
  options: readonly (readonly [value: string, text: string])[],
  chosen: string | undefined,
): readonly Html[] =>
  options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : nothing}>${text}</option>`,
  );
