import { withQuery } from '../address.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

interface Empty {
  readonly title: string;
  readonly text?: string | Html;
  readonly action?: Html | string;
}

export const emptyState = ({ title, text = nothing, action = nothing }: Empty): Html =>
  html`<div class="empty"><p><strong>${title}</strong></p>${text && html`<p class="hint">${text}</p>`}${action && html`<p>${action}</p>`}</div>`;

export function older(
  path: string,
  search: { readonly cursor: string | null; readonly [filter: string]: string | null | undefined },
  m: Messages,
): Html | string {
  if (search.cursor === null) return nothing;
  return html`<a class="button" rel="next" href="${withQuery(path, search)}">${m.more}</a>`;
}

/** A list of filter options. The option with the text `none` turns the filter off. */
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
