import type { DeskContext } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Filters, readsPath } from '../reads.ts';
import { buttonLink } from './buttons.ts';
import { field } from './fields.ts';

export const dateFields =
  ({ query, language: { m } }: DeskContext, { invalid }: Filters<unknown>) =>
  (name: 'since' | 'until', label: string): Html => {
    const words = m.activity;
    const problem = invalid[name];
    const error = problem && (problem === 'date' ? words.dateError : words.orderError);
    return html`<div>${field({ id: name, label, error, input: (attributes) => html`<input ${attributes} name="${name}" type="date" value="${problem === 'date' ? '' : query[name]}">` })}</div>`;
  };

export function readsFooter(
  count: number,
  nextCursor: string | null,
  { addressOf }: Filters<unknown>,
  { query, language: { m } }: DeskContext,
): Html {
  const older =
    nextCursor &&
    html`<a class="button" rel="next" href="${addressOf(readsPath, nextCursor)}">${count > 0 ? m.more : m.activity.lookFurther}</a>`;
  return html`<p class="actions">${query.cursor === undefined ? nothing : buttonLink(addressOf(), m.newest)}
${older}</p>`;
}
