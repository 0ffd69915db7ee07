import type {
  CompanyFigures,
  Metric,
  PortfolioCompany,
  PortfolioFigures,
  PortfolioPage,
} from '#core';
import { scopesInShort } from '../../components/request-facts.ts';
import { type Column, numbers, table } from '../../components/table.ts';
import { formatDay, formatPeriod, formatRelative } from '../../components/time.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { sparkline } from '../../plot/sparkline.ts';
import { accessBadge, changeOf, sharesMetrics } from '../figures.ts';
import { companyPath } from '../paths.ts';

/** What stands where there is nothing to tell. */
const none = html`<span class="hint none">–</span>`;

/** The day that most of the last values are of; undefined where there is none. */
export function usualPeriod({ companies }: PortfolioFigures): string | undefined {
  const periods = [...companies.values()].flatMap(({ histories }) =>
    histories.map(({ values }) => values.at(-1)?.period).filter((period) => period !== undefined),
  );
  const [usual] = [...Map.groupBy(periods, (period) => period).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return usual?.[0];
}

/** The last value of a metric, its course and its change; and of which day it is, where that is not the usual one. */
function figure(
  values: readonly Metric[],
  usual: string | undefined,
  { language }: InvestorContext,
): Html {
  const newest = values.at(-1);
  if (newest === undefined) return none;
  const { value, period } = newest;
  const change = changeOf(values);
  const line = sparkline(values);
  return html`<span class="value"><bdi>${value}</bdi></span>${
    line === nothing
      ? nothing
      : html`<span class="trend hint">${line}${change === null ? nothing : html` <bdi>${language.format.change(change)}</bdi>`}</span>`
  }${period === usual ? nothing : html`<span class="hint">${formatPeriod(period)}</span>`}`;
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
  return html`<span class="until">${badge} <span class="hint">${words.until} ${formatDay(expiresAt, language)}</span></span><span class="hint">${scopesInShort(approvedScopes, language)}</span>`;
}

export function companyTable(
  { edges }: PortfolioPage,
  figures: PortfolioFigures,
  context: InvestorContext,
): Html {
  const { metrics, keys, companies } = figures;
  const usual = usualPeriod(figures);
  const words = context.language.m.figures.portfolio;
  const labels = new Map(metrics.map(({ key, label }) => [key, label]));
  const columns: Column[] = [
    words.company,
    words.access,
    ...keys.map((key) => numbers(labels.get(key) ?? key)),
    words.delivered,
  ];
  const rows = edges.map(({ company }) => {
    const own = companies.get(company.id);
    return [
      html`<a href="${companyPath(company.id)}"><bdi>${company.name}</bdi></a>`,
      html`<div data-part="${company.id}"${sharesMetrics(company) ? html` data-shares` : nothing}>${accessOf(company, context)}</div>`,
      ...keys.map((_, index) => figure(own?.histories[index]?.values ?? [], usual, context)),
      freshness(own, context),
    ];
  });
  return html`<div class="portfolio">${table({ label: words.table, columns, rows, isBlocks: true })}</div>`;
}
