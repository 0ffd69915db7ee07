import { grantableScopes, type Investor, isGrantableScope } from '#core';
import { select } from '../../components/lists.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { dateFields, filtersOf } from '../../reads.ts';

export type Filters = ReturnType<typeof readFilters>;

export function readFilters(context: Pick<ContactContext, 'query'>) {
  const { investor, scope } = context.query;
  return filtersOf(context, ['investor', 'scope', 'since', 'until'], (days) => ({
    investorId: investor || undefined,
    scope: scope !== undefined && isGrantableScope(scope) ? scope : undefined,
    ...days,
  }));
}

/**
 * Lists only investors that requested access. Adds the selected investor, because all its reads may be refused ones.
 */
export function filterForm(
  filters: Filters,
  investors: readonly Pick<Investor, 'id' | 'name'>[],
  context: ContactContext,
): Html {
  const { m } = context.language;
  const words = m.activity;
  const { investorId, scope } = filters.criteria;
  const names = new Map(investors.map(({ id, name }) => [id, name]));
  if (investorId !== undefined && !names.has(investorId)) names.set(investorId, investorId);
  const dateField = dateFields(context, filters);
  const scopes = grantableScopes.map((each) => [each, m.scopes[each].name] as const);
  return html`<form method="get" action="/desk/activity" class="filters" aria-label="${words.filters}" novalidate>
<div><label for="investor">${m.investor}</label>
${select('investor', m.all, [...names], investorId)}</div>
<div><label for="scope">${m.what}</label>
${select('scope', words.anyScope, scopes, scope)}</div>
${dateField('since', words.since)}
${dateField('until', words.until)}
<button>${m.show}</button>
${filters.isNarrowed ? html`<a class="button plain" href="/desk/activity">${words.clear}</a>` : nothing}</form>`;
}
