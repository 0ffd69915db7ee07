import type { ReadSeries, ReadStatistics } from '#core';
import { type Html, html, nothing } from '../../html.ts';
import type { Language } from '../../messages/index.ts';
import { joinSeries } from '../../plot/bins.ts';
import { type Plotted, plotFigure } from '../../plot/figure.ts';

/** More plots of a kind would make the page long and say little. */
const maxPlots = 6;

/** How often there were reads: in all, by investor and by metric. */
export function plots(statistics: ReadStatistics, language: Language): Html {
  const words = language.m.activity;
  const { total, investors, metrics, otherInvestors, otherMetrics } = statistics;
  if (total.days.length === 0) return html`<p class="hint">${words.nothingCounted}</p>`;
  const ofInvestors = investors.map(({ investor: { name }, ...series }) => ({ name, series }));
  const ofMetrics = metrics.map(({ metricKey, ...series }) => ({
    name: metricKey ?? words.noOneMetric,
    series,
  }));
  const figure = (id: string, plotted: Plotted) => plotFigure(id, plotted, statistics, language);
  const group = (id: string, title: string, all: readonly Plotted[], others: ReadSeries | null) =>
    html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<div class="cards">${few(all, others, words.others).map((each, index) => figure(`${id}-${index}`, each))}</div></section>`;
  return html`<p class="legend" aria-hidden="true"><span class="read">${words.read}</span> <span class="refused">${words.refused}</span></p>
${figure('total', { name: words.inAll, series: total })}
${investors.length > 1 ? group('by-investor', words.byInvestor, ofInvestors, otherInvestors) : nothing}
${group('by-metric', words.byMetric, ofMetrics, otherMetrics)}`;
}

/** Those of the most reads, and the others together. */
function few(all: readonly Plotted[], others: ReadSeries | null, name: string): readonly Plotted[] {
  const shown = all.slice(0, maxPlots);
  const rest = [...all.slice(maxPlots).map(({ series }) => series), others ?? []].flat();
  return rest.length === 0 ? shown : [...shown, { name, series: joinSeries(rest) }];
}
