import type { PortfolioFigures } from '#core';
import { buttonLink } from '../../components/buttons.ts';
import { checkbox } from '../../components/fields.ts';
import { optionsOf } from '../../components/lists.ts';
import { tabs } from '../../components/navigation.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, hidden, html, nothing } from '../../html.ts';
import { metricName } from '../../metric-words.ts';
import { portfolioPath } from '../paths.ts';
import {
  addressOf,
  maxMetrics,
  nameOfSort,
  sortableColumns,
  states,
  type Totals,
  type View,
} from './view.ts';

const maxChoices = 24;

export function stateTabs(
  view: View,
  totals: Totals,
  { language: { m, format } }: InvestorContext,
): Html {
  const words = m.figures.portfolio;
  const all = ['all', ...states] as const;
  return tabs(
    words.access,
    all.map((each) => [each, `${words.states[each]} ${format.number(totals[each])}`] as const),
    (each) => addressOf({ ...view, state: each === 'all' ? undefined : each, page: 1 }),
    view.state ?? 'all',
  );
}

/** On a phone, the table has no headings, so only this form can sort the table. */
export function viewForm(
  view: View,
  figures: PortfolioFigures,
  { language }: InvestorContext,
): Html {
  const { m } = language;
  const { search = '', state, sortBy, isDescending } = view;
  const words = m.figures.portfolio;
  const choices = metricsOf(figures, view).map(({ key, label }) => ({
    key,
    label: metricName(label, language),
  }));
  const columns = [
    ...sortableColumns.map((each) => [each, words.sorts[each]] as const),
    ...choices.map(({ key, label }) => [nameOfSort({ metric: key }), label] as const),
  ];
  const isDefault = addressOf(view) === portfolioPath;
  return html`<form method="get" action="${portfolioPath}" class="filters">${state === undefined ? nothing : hidden('access', state)}
<div><label for="search">${words.search}</label>
<input type="search" id="search" name="search" maxlength="200" value="${search}"></div>
<div><label for="sort">${words.sort}</label>
<select id="sort" name="sort">${optionsOf(columns, nameOfSort(sortBy))}</select></div>
<div><label for="dir">${words.direction}</label>
<select id="dir" name="dir">${optionsOf(Object.entries(words.directions), isDescending ? 'desc' : 'asc')}</select></div>
${metricChoices(choices, view, figures, words)}
<button class="button primary">${m.show}</button>
${isDefault ? nothing : buttonLink(portfolioPath, m.activity.clear)}</form>`;
}

type Words = InvestorContext['language']['m']['figures']['portfolio'];

type Choices = PortfolioFigures['metrics'];

/** A chosen metric stays in the list even if no company on the page has it. */
function metricsOf(
  { metrics, keys }: PortfolioFigures,
  { metrics: chosen, sortBy }: View,
): Choices {
  const metricKeys = new Set(metrics.map(({ key }) => key));
  const named = [...keys, ...chosen, ...(typeof sortBy === 'object' ? [sortBy.metric] : [])];
  const others = [...new Set(named)].filter((key) => !metricKeys.has(key));
  return [...others.map((key) => ({ key, label: key })), ...metrics].slice(0, maxChoices);
}

function metricChoices(
  choices: Choices,
  { metrics: chosen }: View,
  { keys }: PortfolioFigures,
  words: Words,
): Html | string {
  if (choices.length === 0) return nothing;
  const shown = new Set([...keys, ...chosen]);
  return html`<details class="choice-of"><summary>${words.metrics}</summary>
<fieldset><legend class="hint">${words.metricsHint(`${maxMetrics}`)}</legend>
${choices.map(({ key, label }) =>
  checkbox('metric', key, shown.has(key), html`<bdi>${label}</bdi>`),
)}</fieldset></details>`;
}
