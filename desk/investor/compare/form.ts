import type { PortfolioCompany } from '#core';
import { buttonLink, submitButton } from '../../components/buttons.ts';
import { checkbox, radio } from '../../components/fields.ts';
import { optionsOf } from '../../components/lists.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { metricName } from '../../metric-words.ts';
import { maxLines } from '../../plot/lines.ts';
import { type Choice, comparePath, scales } from './choice.ts';
import type { Comparison } from './read.ts';

export function choiceForm(
  { from = '', to = '', search = '', scale }: Choice,
  { key, metrics }: Comparison,
  chosen: readonly PortfolioCompany[],
  others: readonly PortfolioCompany[],
  { language }: InvestorContext,
): Html {
  const { m } = language;
  const words = m.figures.compare;
  const isKnown = metrics.some((each) => each.key === key);
  const all = isKnown || key === undefined ? metrics : [{ key, label: key }, ...metrics];
  const options = all.map((each) => [each.key, metricName(each.label, language)] as const);
  const company = (isChosen: boolean) => (each: PortfolioCompany) =>
    checkbox('company', each.id, isChosen, html`<bdi>${each.name}</bdi>`);
  return html`<form method="get" action="${comparePath}" class="panel stack" id="choice">
${
  options.length === 0
    ? nothing
    : html`<label for="metric">${m.data.metric}</label>
<select id="metric" name="metric">${optionsOf(options, key)}</select>`
}
<fieldset><legend>${words.scale}</legend>
${scales.map((each) => radio('scale', each, scale, words.scales[each]))}</fieldset>
<fieldset><legend>${words.companies(`${maxLines}`)}</legend>
<div class="long-list">${chosen.map(company(true))}${others.map(company(false))}</div></fieldset>
<label for="search">${words.search}</label>
<input type="search" id="search" name="search" maxlength="200" value="${search}">
<div class="filters"><div><label for="from">${words.from}</label><input type="date" id="from" name="from" value="${from}"></div>
<div><label for="to">${words.to}</label><input type="date" id="to" name="to" value="${to}"></div></div>
<div class="actions">${submitButton(m.show, 'primary')}${chosen.length === 0 ? nothing : buttonLink(comparePath, words.clear)}</div></form>`;
}
