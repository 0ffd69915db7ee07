import { grantableScopes, type Investor } from '#core';
import { dateFields } from '../../components/date-fields.ts';
import { select } from '../../components/lists.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { type Filters, filterNames } from './filters.ts';

/** The form that narrows what is shown. Who was refused without ever asking is among the investors once it is chosen. */
export function filterForm(
  { investorId, scope, invalid }: Filters,
  investors: readonly Pick<Investor, 'id' | 'name'>[],
  context: ContactContext,
): Html {
  const { query, language } = context;
  const { m } = language;
  const words = m.activity;
  const names = new Map(investors.map(({ id, name }) => [id, name]));
  if (investorId !== undefined && !names.has(investorId)) names.set(investorId, investorId);
  const isNarrowed = filterNames.some((name) => query[name]);
  const dateField = dateFields(context, invalid);
  const scopes = grantableScopes.map((each) => [each, m.scopes[each].name] as const);
  return html`<form method="get" action="/desk/activity" class="filters" aria-label="${words.filters}" novalidate>
<div><label for="investor">${words.investor}</label>
${select('investor', words.anyInvestor, [...names], investorId)}</div>
<div><label for="scope">${words.scope}</label>
${select('scope', words.anyScope, scopes, scope)}</div>
${dateField('since', words.since)}
${dateField('until', words.until)}
<button>${words.show}</button>
${isNarrowed ? html`<a class="button plain" href="/desk/activity">${words.clear}</a>` : nothing}</form>`;
}
