import type { CompanyFigures, Metric, PortfolioFigures, PortfolioState } from '#core';
import { accessInShort } from '../../components/request-facts.ts';
import { type Column, numbers, sortable, table } from '../../components/table.ts';
import { formatDay, formatPeriod, formatRelative } from '../../components/time.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { metricName, shownValue } from '../../metric-words.ts';
import { sparkline } from '../../plot/sparkline.ts';
import { accessBadge, changeOf, sharesMetrics } from '../figures.ts';
import { companyPath } from '../paths.ts';
import type { ViewPart } from './read.ts';
import { addressOf, nameOfSort, type SortBy, type View } from './view.ts';

const none = html`<span class="hint none">–</span>`;

/** Returns the most common period among the companies' last values. Returns undefined if no company has values. */
export function mostCommonPeriod({ companies }: PortfolioFigures): string | undefined {
  const periods = [...companies.values()].flatMap(({ histories }) =>
    histories.map(({ values }) => values.at(-1)?.period).filter((period) => period !== undefined),
  );
  const [commonPeriod] = [...Map.groupBy(periods, (period) => period).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return commonPeriod?.[0];
}

function figure(
  values: readonly Metric[],
  commonPeriod: string | undefined,
  { language }: InvestorContext,
): Html {
  const newest = values.at(-1);
  if (newest === undefined) return none;
  const { period } = newest;
  const change = changeOf(values);
  const line = sparkline(values);
  return html`<span class="value"><bdi>${shownValue(newest, language)}</bdi></span>${
    line === nothing
      ? nothing
      : html`<span class="trend hint">${line}${change === null ? nothing : html` <bdi>${language.format.change(change)}</bdi>`}</span>`
  }${period === commonPeriod ? nothing : html`<span class="hint">${formatPeriod(period)}</span>`}`;
}

export const newestDelivery = (figures: CompanyFigures | undefined): Date | null =>
  figures?.latest.reduce<Date | null>(
    (last, { source: { lastSynced } }) => (last !== null && last > lastSynced ? last : lastSynced),
    null,
  ) ?? null;

function freshness(figures: CompanyFigures | undefined, { language, now }: InvestorContext): Html {
  const newest = newestDelivery(figures);
  return newest === null ? none : formatRelative(newest, now, language);
}

function accessOf(company: PortfolioState, { language }: InvestorContext): Html {
  const { grant, isLate } = company;
  const words = language.m.figures.portfolio;
  const badge = html`${accessBadge(company, language.m)}${isLate ? html` <span class="badge pending">${words.states.late}</span>` : nothing}`;
  if (grant === null) return badge;
  return html`<span class="until">${badge}</span> <span class="hint">${accessInShort(grant.approvedScopes, grant.terms, language)}</span>`;
}

function columnsOf(
  { metrics, keys }: PortfolioFigures,
  view: View,
  { language }: InvestorContext,
): Column[] {
  const words = language.m.figures.portfolio;
  const labels = new Map(metrics.map(({ key, label }) => [key, metricName(label, language)]));
  const current = nameOfSort(view.sortBy);
  const column = (sortBy: SortBy, heading: Column): Column => {
    const isCurrent = nameOfSort(sortBy) === current;
    const isDescending = isCurrent && !view.isDescending;
    return sortable(heading, {
      href: addressOf({ ...view, sortBy, isDescending, page: 1 }),
      direction: isCurrent ? (view.isDescending ? 'descending' : 'ascending') : undefined,
    });
  };
  return [
    column('company', language.m.company),
    column('access', words.access),
    column('until', language.m.until),
    ...keys.map((key) => column({ metric: key }, numbers(labels.get(key) ?? key))),
    column('delivered', words.delivered),
  ];
}

export function companyTable(
  { companies, figures }: ViewPart,
  view: View,
  context: InvestorContext,
): Html {
  const commonPeriod = mostCommonPeriod(figures);
  const { language } = context;
  const words = language.m.figures.portfolio;
  const rows = companies.map((company) => {
    const own = figures.companies.get(company.id);
    const { id, name, grant } = company;
    return [
      html`<span class="pick"><input type="checkbox" name="company" value="${id}" aria-label="${words.choose(name)}"><a href="${companyPath(id)}"><bdi>${name}</bdi></a></span>`,
      html`<div data-part="${id}"${sharesMetrics(company) ? html` data-shares` : nothing}>${accessOf(company, context)}</div>`,
      grant === null ? none : formatDay(grant.expiresAt, language),
      ...figures.keys.map((_, index) =>
        figure(own?.histories[index]?.values ?? [], commonPeriod, context),
      ),
      freshness(own, context),
    ];
  });
  const columns = columnsOf(figures, view, context);
  return html`<div class="portfolio">${table({ label: words.table, columns, rows, isBlocks: true })}</div>`;
}
