import type { Metric, MetricHistory } from '#core';
import { presentMetric } from '#http';
import { confidenceName, sourceOf, verifiedBadge } from '../../components/data-tables.ts';
import { table } from '../../components/table.ts';
import { formatRelative } from '../../components/time.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';
import { metricName } from '../../metric-words.ts';
import { historyFigure } from '../../plot/history.ts';
import { changeMark } from '../figures.ts';
import { metricPath } from '../paths.ts';

type Words = Messages['figures']['verify'];

export const verdictPlace = (verifier: string, words: Words): Html =>
  html`<div id="verdict" role="status" data-verifier="${verifier}"></div>
<noscript><p class="notice">${words.noScript}</p></noscript>`;

/** The cell contains the signed data, which the script figures.js checks. */
export const signatureCell = (metric: Metric, { figures }: Messages): Html =>
  metric.verification.signed
    ? html`<span class="badge" data-mark hidden></span><template data-signed>${JSON.stringify(presentMetric(metric))}</template>`
    : html`<span class="hint">${figures.company.unsigned}</span>`;

export const verdictWords = (words: Words): Html =>
  html`<template id="words">${(['checking', 'valid', 'invalid', 'failed'] as const).map((name) => {
    const [title = '', text = ''] = words[name];
    return html`<div data-verdict="${name}"><strong>${title}</strong>${text === '' ? nothing : html`<p>${text}</p>`}</div>`;
  })}
<p data-word="good">${words.good}</p><p data-word="bad">${words.bad}</p></template>`;

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
