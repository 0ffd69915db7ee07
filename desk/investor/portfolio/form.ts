import type { PortfolioFigures } from '#core';
import { buttonLink } from '../../components/buttons.ts';
import { checkbox } from '../../components/fields.ts';
import { optionsOf, select } from '../../components/lists.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { portfolioPath } from '../paths.ts';
import { type Filters, maxMetrics, withPlace } from './filters.ts';

/** More are no choice that anybody reads through. */
const maxChoices = 24;

/** Which companies are wanted, in which order, and which of their figures. */
export function filterForm(
  filters: Filters,
  figures: PortfolioFigures,
  { language: { m } }: InvestorContext,
): Html {
  const { search = '', access, order } = filters;
  const words = m.figures.portfolio;
  return html`<form method="get" action="${portfolioPath}" class="filters">
<div><label for="search">${words.search}</label>
<input type="search" id="search" name="search" maxlength="200" value="${search}"></div>
<div><label for="access">${words.access}</label>
${select('access', words.anyAccess, Object.entries(words.accesses), access)}</div>
<div><label for="order">${words.order}</label>
<select id="order" name="order">${optionsOf(Object.entries(words.orders), order)}</select></div>
${metricChoices(figures, words)}
<button class="button primary">${m.show}</button>
${withPlace(filters) === portfolioPath ? nothing : buttonLink(portfolioPath, m.activity.clear)}</form>`;
}

type Words = InvestorContext['language']['m']['figures']['portfolio'];

/** Those that are shown are chosen; a metric that no company of this page has can still be left out. */
function metricChoices({ metrics, keys }: PortfolioFigures, words: Words): Html | string {
  const known = new Set(metrics.map(({ key }) => key));
  const others = keys.filter((key) => !known.has(key)).map((key) => ({ key, label: key }));
  const choices = [...others, ...metrics].slice(0, maxChoices);
  if (choices.length === 0) return nothing;
  return html`<details class="choice-of"><summary>${words.metrics}</summary>
<fieldset><legend class="hint">${words.metricsHint(`${maxMetrics}`)}</legend>
${choices.map(({ key, label }) =>
  checkbox('metric', key, keys.includes(key), html`<bdi>${label}</bdi>`),
)}</fieldset></details>`;
}
