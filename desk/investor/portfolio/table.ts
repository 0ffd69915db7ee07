import {
  type CompanyFigures,
  grantableScopes,
  type Metric,
  type PortfolioCompany,
  type PortfolioFigures,
  type PortfolioPage,
} from '#core';
import { scopeNames } from '../../components/request-facts.ts';
import { type Column, numbers, table } from '../../components/table.ts';
import { formatDay, formatPeriod, formatRelative } from '../../components/time.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { sparkline } from '../../plot/sparkline.ts';
import { accessBadge, changeOf } from '../figures.ts';
import { companyPath } from '../paths.ts';

/** What stands where there is nothing to tell. */
const none = html`<span class="hint none">–</span>`;

/** The last value of a metric, when it is of, how it has changed, and its course. */
function figure(values: readonly Metric[], { language }: InvestorContext): Html {
  const newest = values.at(-1);
  if (newest === undefined) return none;
  const change = changeOf(values);
  return html`<span class="value"><bdi>${newest.value}</bdi>${sparkline(values)}</span><span class="hint">${formatPeriod(newest.period)}${
    change === null ? nothing : html` <bdi>${language.format.change(change)}</bdi>`
  }</span>`;
}

/** When the newest of the figures was delivered. */
function freshness(figures: CompanyFigures | undefined, { language, now }: InvestorContext): Html {
  const newest = figures?.latest.reduce<Date | null>(
    (last, { source: { lastSynced } }) => (last !== null && last > lastSynced ? last : lastSynced),
    null,
  );
  return newest == null ? none : formatRelative(newest, now, language);
}

/** Whether it may be read; what of it, and until when. */
function accessOf({ access, grant }: PortfolioCompany, { language }: InvestorContext): Html {
  const badge = accessBadge(access, language.m);
  if (grant === null) return badge;
  const { approvedScopes, expiresAt } = grant;
  const words = language.m.figures.portfolio;
  const what =
    approvedScopes.length === grantableScopes.length
      ? words.everything
      : scopeNames(approvedScopes, language);
  return html`${badge}<span class="hint">${what}</span><span class="hint until">${words.until} ${formatDay(expiresAt, language)}</span>`;
}

export function companyTable(
  { edges }: PortfolioPage,
  { metrics, keys, companies }: PortfolioFigures,
  context: InvestorContext,
): Html {
  const words = context.language.m.figures.portfolio;
  const labels = new Map(metrics.map(({ key, label }) => [key, label]));
  const columns: Column[] = [
    words.company,
    words.access,
    ...keys.map((key) => numbers(labels.get(key) ?? key)),
    words.delivered,
  ];
  const rows = edges.map(({ company }) => {
    const figures = companies.get(company.id);
    return [
      html`<a href="${companyPath(company.id)}"><bdi>${company.name}</bdi></a>`,
      html`<div data-part="${company.id}"${company.grant?.approvedScopes.includes('metrics:read') ? html` data-shares` : nothing}>${accessOf(company, context)}</div>`,
      ...keys.map((_, index) => figure(figures?.histories[index]?.values ?? [], context)),
      freshness(figures, context),
    ];
  });
  return html`<div class="portfolio">${table({ label: words.table, columns, rows, isBlocks: true })}</div>`;
}
