import type { ReadSeries, ReadStatistics } from '#core';
import { type Html, html, nothing } from '../../html.ts';
import type { Language } from '../../messages/index.ts';
import { joinSeries } from '../../plot/bins.ts';
import { plotFigure } from '../../plot/figure.ts';

/** More plots of a kind would make the page long and say little. */
const maxPlots = 6;

interface Named {
  readonly name: string;
  readonly series: ReadSeries;
}

/** How often there were reads: in all, by investor and by metric. */
export function plots(statistics: ReadStatistics, language: Language): Html {
  const { m } = language;
  const { total, investors, metrics, otherInvestors, otherMetrics } = statistics;
  if (total.days.length === 0) return html`<p class="hint">${m.activity.nothingCounted}</p>`;
  const ofInvestors = investors.map(({ investor: { name }, ...series }) => ({ name, series }));
  const ofMetrics = metrics.map(({ metricKey, ...series }) => ({
    name: metricKey ?? m.activity.noOneMetric,
    series,
  }));
  const figure = (id: string, { name, series }: Named) =>
    plotFigure({ id, name, series }, statistics, language);
  const group = (id: string, title: string, all: readonly Named[]) =>
    html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<div class="cards">${all.map((each, index) => figure(`${id}-${index}`, each))}</div></section>`;
  return html`<p class="legend" aria-hidden="true"><span class="read">${m.activity.read}</span> <span class="refused">${m.activity.refused}</span></p>
${figure('total', { name: m.activity.inAll, series: total })}
${investors.length > 1 ? group('by-investor', m.activity.byInvestor, few(ofInvestors, otherInvestors, language)) : nothing}
${group('by-metric', m.activity.byMetric, few(ofMetrics, otherMetrics, language))}`;
}

/** Those of the most reads, and the others together. */
function few(all: readonly Named[], others: ReadSeries | null, { m }: Language): readonly Named[] {
  const rest = [
    ...all.slice(maxPlots).map(({ series }) => series),
    ...(others === null ? [] : [others]),
  ];
  const shown = all.slice(0, maxPlots);
  return rest.length === 0
    ? shown
    : [...shown, { name: m.activity.others, series: joinSeries(rest) }];
}
