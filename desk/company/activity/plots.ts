import type { ReadSeries, ReadStatistics } from '#core';
import type { Labels } from '../../components/records.ts';
import { numbers, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import type { Language } from '../../messages/index.ts';
import { isByWeek, joinSeries, toBins } from '../../plot/bins.ts';
import { bars, describeBins, plotFigure } from '../../plot/figure.ts';

const maxRows = 10;

interface Row {
  readonly name: string | Html;
  readonly plain: string;
  readonly series: ReadSeries;
}

export function plots(statistics: ReadStatistics, labels: Labels, language: Language): Html {
  const words = language.m.activity;
  const { total, investors, metrics, otherInvestors, otherMetrics } = statistics;
  if (total.days.length === 0) return html`<p class="hint">${words.nothingCounted}</p>`;
  const ofInvestors = investors.map(({ investor: { id, name }, ...series }) => ({
    name: html`<a href="/desk/activity?investor=${encodeURIComponent(id)}"><bdi>${name}</bdi></a>`,
    plain: name,
    series,
  }));
  const ofMetrics = metrics.map(({ metricKey, ...series }) => {
    const label = metricKey === null ? words.noOneMetric : (labels.get(metricKey) ?? metricKey);
    return { name: html`<bdi>${label}</bdi>`, plain: label, series };
  });
  const group = (id: string, title: string, all: readonly Row[], others: ReadSeries | null) =>
    compare(id, title, limitRows(all, others, words.others), statistics, language);
  return html`${plotFigure('total', { name: words.inAll, series: total }, statistics, language)}
<div class="pair">${group('by-investor', words.byInvestor, ofInvestors, otherInvestors)}
${group('by-metric', words.byMetric, ofMetrics, otherMetrics)}</div>`;
}

function compare(
  id: string,
  title: string,
  rows: readonly Row[],
  statistics: ReadStatistics,
  language: Language,
): Html {
  const { m, format } = language;
  const words = m.activity;
  const course = isByWeek(statistics) ? words.courseByWeek : words.course;
  return html`<div><h2 id="${id}">${title}</h2>
${table({
  label: title,
  columns: [
    id === 'by-metric' ? m.data.metric : m.investor,
    numbers(words.read),
    numbers(words.refused),
    course,
  ],
  rows: rows.map(({ name, plain, series }, index) => {
    const bins = toBins(series, statistics);
    const description = describeBins(bins, series, language);
    return [
      name,
      format.number(series.allowed),
      series.refused === 0 ? html`<span class="hint">0</span>` : format.number(series.refused),
      html`<div class="small">${bars(bins, { id: `${id}-${index}`, title: words.plot(plain), description })}</div>`,
    ];
  }),
})}</div>`;
}

function limitRows(all: readonly Row[], others: ReadSeries | null, name: string): readonly Row[] {
  const shown = all.slice(0, maxRows);
  const rest = [...all.slice(maxRows).map(({ series }) => series), others ?? []].flat();
  return rest.length === 0 ? shown : [...shown, { name, plain: name, series: joinSeries(rest) }];
}
