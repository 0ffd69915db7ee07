import { grantableScopes, type Investor } from '#core';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { type Filters, filterNames } from './filters.ts';

type Named = Pick<Investor, 'id' | 'name'>;

/** The form that narrows what is shown. Who was refused without ever asking is among the investors once it is chosen. */
export function filterForm(
  filters: Filters,
  investors: readonly Named[],
  { query, language: { m } }: ContactContext,
): Html {
  const { investorId, scope, invalid } = filters;
  const isListed = investorId === undefined || investors.some(({ id }) => id === investorId);
  const listed = isListed ? investors : [...investors, { id: investorId, name: investorId }];
  const isNarrowed = filterNames.some((name) => query[name]);
  const option = (value: string, text: string, chosen: string | undefined) =>
    html`<option value="${value}"${value === chosen ? html` selected` : nothing}>${text}</option>`;
  const dateField = (name: 'since' | 'until', label: string) => {
    const problem = invalid[name];
    return html`<div><label for="${name}">${label}</label>
${problem === undefined ? nothing : html`<p class="error" id="${name}-error">${problem === 'date' ? m.activity.dateError : m.activity.orderError}</p>`}
<input id="${name}" name="${name}" type="date" value="${invalid[name] === 'date' ? '' : query[name]}"${problem === undefined ? nothing : html` aria-invalid="true" aria-describedby="${name}-error"`}></div>`;
  };
  return html`<form method="get" action="/desk/activity" class="filters" aria-label="${m.activity.filters}" novalidate>
<div><label for="investor">${m.activity.investor}</label>
<select id="investor" name="investor"><option value="">${m.activity.anyInvestor}</option>
${listed.map(({ id, name }) => option(id, name, investorId))}</select></div>
<div><label for="scope">${m.activity.scope}</label>
<select id="scope" name="scope"><option value="">${m.activity.anyScope}</option>
${grantableScopes.map((each) => option(each, m.scopes[each].name, scope))}</select></div>
${dateField('since', m.activity.since)}
${dateField('until', m.activity.until)}
<button>${m.activity.show}</button>
${isNarrowed ? html`<a class="button plain" href="/desk/activity">${m.activity.clear}</a>` : nothing}</form>`;
}
