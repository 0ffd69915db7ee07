import type { Metric, MetricHistory } from '#core';
import { confidenceName, sourceOf, verifiedBadge } from '../../components/data-tables.ts';
import { table } from '../../components/table.ts';
import { formatRelative } from '../../components/time.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { metricName } from '../../metric-words.ts';
import { historyFigure } from '../../plot/history.ts';
import { changeMark } from '../figures.ts';
import { metricPath } from '../paths.ts';
import { signatureCell } from './verification.ts';

export function figureCards(histories: readonly MetricHistory[], context: InvestorContext): Html {
  const { language } = context;
  return html`<div class="cards plots">${histories.map(({ values }, index) => {
    const newest = values.at(-1);
    if (newest === undefined) return nothing;
    const { companyId, key } = newest;
    return historyFigure(`plot-${index}`, values, language, {
      more: changeMark(values, context),
      href: metricPath(companyId, key),
    });
  })}</div>`;
}

export function originTable(latest: readonly Metric[], { language, now }: InvestorContext): Html {
  const { data: words, figures } = language.m;
  const columns = [
    words.metric,
    words.source,
    words.synced,
    words.verified,
    words.confidence,
    figures.company.signature,
  ];
  const rows = latest.map((metric) => {
    const { companyId, key, label, source, verification, confidence } = metric;
    return [
      html`<a href="${metricPath(companyId, key)}"><bdi>${metricName(label, language)}</bdi></a>`,
      sourceOf(source, language.m),
      formatRelative(source.lastSynced, now, language),
      verifiedBadge(verification, language.m),
      confidenceName(confidence, language.m),
      signatureCell(metric, language.m),
    ];
  });
  return table({ label: words.table(figures.company.origins), columns, rows, isBlocks: true });
}
